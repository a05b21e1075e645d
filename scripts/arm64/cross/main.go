// Cross lets tests on an emulated arm64 machine use the compilers of the machine
// that emulates it: the same program is both ends of a virtio serial port.
//
// "cross serve SOCKET" runs on the host and answers what comes from the port, one
// call at a time. Under any other name, such as gcc, it runs in the guest: it sends
// its arguments and the files they name, and does what the host answers. The
// repository is at the same place on both; files below /tmp and /lib are copied.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// A call is a run of a compiler that the guest wants.
type call struct {
	ID    int // tells its answer from that to an earlier caller, who was killed
	Dir   string
	Args  []string // with the tool's name first
	Cgo   string   // CGO_ENABLED
	Files map[string]file
}

// An answer tells how a call ended.
type answer struct {
	ID     int
	Code   int
	Output []byte
	Files  map[string]file // that it made
}

type file struct {
	Mode os.FileMode
	Data []byte
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

func run() error {
	name := filepath.Base(os.Args[0])
	if name != "cross" {
		return ask(name, os.Args[1:])
	}
	if len(os.Args) != 3 || os.Args[1] != "serve" {
		return fmt.Errorf("usage: cross serve SOCKET")
	}
	return serve(os.Args[2])
}
