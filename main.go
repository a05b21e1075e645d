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
	"time"

	"stacksnap/format/command"
	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
)

// version is set by the linker in released builds.
var version = "0.1"

//go:embed scripts/entitlements.plist
var entitlements []byte

// gcPercent is by how much the heap may grow before it is collected.
const gcPercent = 400

// sameOrder is how soon after the first signal another one is of the same order: timeout(1)
// signals the program that it has started, and then its process group.
const sameOrder = 500 * time.Millisecond

func main() {
	ctx, release := context.Background(), func() {}
	if !cli.IsVersion(os.Args[1:]) {
		// Little is allocated and less is dropped, so that collecting it is mostly work
		// for nothing, and would compete with a capture.
		debug.SetGCPercent(gcPercent)
		ctx, release = untilSignal()
	}
	program := command.Command{
		Streams: out.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv},
		Version: version, Entitlements: entitlements, Release: release,
	}
	os.Exit(program.Run(ctx, os.Args[1:]))
}

// untilSignal returns a context that the first signal ends, which ends the capture early, with its
// report. A later one ends the program at once; the kernel then sets the target running. Before the
// first one release restores the default action.
func untilSignal() (ctx context.Context, release func()) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	context.AfterFunc(ctx, func() { time.AfterFunc(sameOrder, stop) })
	return ctx, func() {
		if ctx.Err() == nil { // else stop is to come
			signal.Reset(ends...)
		}
	}
}
