// Command stacksnap prints where every thread of a process is: it stops the
// process for microseconds, copies registers and stacks, lets it run on, and
// names what it copied. It does so once, or at regular times; and it reads core
// files and its own recordings.
package main

import (
	"context"
	_ "embed"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"stacksnap/format/command"
)

// version is set by the linker in released builds.
var version = "0.1"

//go:embed scripts/entitlements.plist
var entitlements []byte

// gcPercent is by how much the heap may grow before it is collected.
const gcPercent = 400

func main() {
	// Little is allocated and less is dropped, so that collecting it is mostly work
	// for nothing, and would compete with a capture.
	debug.SetGCPercent(gcPercent)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	// The first signal ends the capture early, with its report. A second one ends
	// the program at once; the kernel then sets the target running.
	context.AfterFunc(ctx, stop)
	program := command.Command{
		Version: version, Entitlements: entitlements,
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv,
		Release: func() { signal.Reset(ends...) },
	}
	os.Exit(program.Run(ctx, os.Args[1:]))
}
