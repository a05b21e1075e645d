// Command stacksnap prints where every thread of a running process is: it stops
// the process for microseconds, copies registers and stacks, lets it run on, and
// names what it copied.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/fatih/color"
	"github.com/spf13/pflag"

	"stacksnap/format"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
	"stacksnap/task/live"
)

// version is set by the linker in released builds.
var version = "0.1"

//go:embed scripts/entitlements.plist
var entitlements []byte

// The exit codes, as README.md lists them.
const (
	exitOK           = 0
	exitFailure      = 1
	exitUsage        = 2
	exitNoProcess    = 3
	exitNotPermitted = 4
	exitTargetExited = 5
)

func main() {
	// A first signal is ignored for the few milliseconds that a snapshot takes: the
	// report is printed. A second one ends at once; the kernel frees the target.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupts
		signal.Stop(interrupts)
	}()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprint(stdout, usage(o))
		return exitOK
	case err == nil && o.version:
		fmt.Fprintln(stdout, toolName())
		return exitOK
	case err == nil && o.sign:
		err = live.Sign(stdout, entitlements)
	case err == nil:
		err = snapshot(o, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "stacksnap:", err)
	}
	return exitCode(err)
}

// usageError is a mistake in how stacksnap was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// options are the command line.
type options struct {
	flags   *pflag.FlagSet
	target  string
	merge   bool
	color   string
	sign    bool
	version bool
}

func parse(args []string) (*options, error) {
	f := pflag.NewFlagSet("stacksnap", pflag.ContinueOnError)
	f.SortFlags = false
	f.SetOutput(io.Discard)
	o := &options{flags: f}
	f.StringVarP(&o.target, "pid", "p", "", "process to look at: its `PID`, name or program")
	f.BoolVar(&o.merge, "merge", false, "print threads that have the same stack once")
	f.StringVar(&o.color, "color", "auto", "`WHEN` to colour: auto (on a terminal, unless NO_COLOR is set), always, never")
	f.BoolVar(&o.sign, "sign", false, "macOS: sign this program so that it may read others")
	f.BoolVar(&o.version, "version", false, "print the version")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return o, err
		}
		return o, usageError{err}
	}
	return o, o.check()
}

// check completes and refuses what the flags' own types let pass.
func (o *options) check() error {
	if o.target == "" && o.flags.NArg() == 1 {
		o.target = o.flags.Arg(0)
	} else if o.flags.NArg() > 0 {
		return usageError{fmt.Errorf("unexpected argument %q (see --help)", o.flags.Arg(o.flags.NArg()-1))}
	}
	switch {
	case o.version || o.sign:
		return nil
	case o.target == "":
		return usageError{errors.New("which process? give -p PID or -p NAME (see --help)")}
	case o.color != "auto" && o.color != "always" && o.color != "never":
		return usageError{fmt.Errorf("--color is auto, always or never, not %q", o.color)}
	}
	return nil
}

func usage(o *options) string {
	return `stacksnap prints where every thread of a running process is.

usage: stacksnap -p PID|NAME [flags]

` + o.flags.FlagUsages() + `
exit codes: 0 fine; 2 usage; 3 no such process; 4 not permitted;
5 the target exited meanwhile (what was captured is printed); 1 anything else
`
}

func toolName() string { return "stacksnap " + version }

// snapshot is the main job: one snapshot of one process. What was captured is
// printed even when the target exited meanwhile.
func snapshot(o *options, stdout io.Writer) error {
	pid, err := findTarget(o.target)
	if err != nil {
		return err
	}
	p, err := live.Open(pid)
	if err != nil {
		return err
	}
	prof, captureErr := capture.OneShot(p, toolName())
	closeErr := p.Close()
	if prof == nil {
		return errors.Join(captureErr, closeErr)
	}
	if o.merge {
		prof = prof.FoldThreads()
	}
	// Formatted first, then written at once: a slow reader sees all or nothing.
	var report bytes.Buffer
	writeErr := format.Tree(format.Options{Color: o.colored()})(&report, prof)
	if writeErr == nil {
		_, writeErr = report.WriteTo(stdout)
	}
	return errors.Join(captureErr, closeErr, writeErr)
}

// findTarget turns the command line's target into a pid.
func findTarget(target string) (int, error) {
	self := os.Getpid()
	pid, err := live.Find(target, self)
	var ambiguous *live.AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return 0, usageError{err}
	case err != nil:
		return 0, err
	case pid <= 0:
		return 0, usageError{fmt.Errorf("%s is not a pid", target)}
	case pid == self:
		return 0, usageError{errors.New("stacksnap cannot stop and read itself: give another pid")}
	}
	return pid, nil
}

// colored decides by --color; fatih/color has looked at the terminal, NO_COLOR
// and TERM.
func (o *options) colored() bool {
	return o.color == "always" || o.color == "auto" && !color.NoColor
}

// exitCode finds the code that scripts can tell errors apart by.
func exitCode(err error) int {
	var (
		usage      usageError
		noProcess  *task.NoProcessError
		noName     *live.NoNameError
		permission *task.PermissionError
		exited     *task.ExitedError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &noProcess), errors.As(err, &noName):
		return exitNoProcess
	case errors.As(err, &permission):
		return exitNotPermitted
	case errors.As(err, &exited):
		return exitTargetExited
	}
	return exitFailure
}
