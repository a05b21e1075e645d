// Package command is the command line of stacksnap: its flags, what may be
// combined, and what is done in each mode, from the arguments to the exit code.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
	"stacksnap/format/command/pick"
	"stacksnap/format/command/signals"
	"stacksnap/format/words"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/stackshot"
)

// Command is the program with its streams, environment and version.
type Command struct {
	out.Streams
	Version      string
	Entitlements []byte // a property list: what --sign signs with
	// Release restores the default action of signals, so that the next one ends the program
	// at once. It is called when nothing observes the context of [Command.Run] any more.
	Release func()
}

// Run executes the command line args (without the program's name) and returns the exit
// code. When ctx is done, it ends early, with the report so far. Errors go to Err, one line
// each.
func (c Command) Run(ctx context.Context, args []string) int {
	if cli.IsVersion(args) {
		return c.printVersion()
	}
	o, err := cli.Parse(args, c.Getenv(cli.DefaultsVariable), live.Runs)
	var help *cli.HelpError
	switch {
	case errors.As(err, &help) && help.Manual != "":
		c.ShowHelp(help.Manual)
		return exitOK
	case errors.As(err, &help):
		fmt.Fprint(c.Out, help.Made(c.Version))
		return exitOK
	case cli.IsBare(args) && c.CanAsk():
		return c.runOffered(ctx, args)
	case len(args) == 0:
		fmt.Fprint(c.Err, cli.Usage)
		return exitUsage
	case err == nil:
		err = c.call(o).run(ctx)
	}
	if err != nil && !is[exitStatus](err) {
		out.TellError(c.Err, err)
	}
	return exitCode(err)
}

func (c Command) printVersion() int {
	_, err := fmt.Fprintln(c.Out, c.tool())
	if err != nil {
		out.TellError(c.Err, err)
	}
	return exitCode(err)
}

// runOffered serves a command line without a target. It offers the processes that are
// busiest or stuck, and runs the command line with the one that the user chooses.
func (c Command) runOffered(ctx context.Context, args []string) int {
	pid, err := pick.Busiest(ctx, c.Streams)
	if err != nil {
		out.TellError(c.Err, err)
		if !errors.Is(err, pick.ErrNotChosen) {
			fmt.Fprint(c.Err, cli.Usage)
		}
		return exitUsage
	}
	return c.Run(ctx, append(args, strconv.Itoa(pid)))
}

// call is one invocation of the program.
type call struct {
	*out.Reporter
	entitlements []byte
	gate         *task.Gate // held while anything is stopped
	job          *signals.Job
	indexed      *binaries.Index
	anyReported  bool
	onScreen     atomic.Bool // a live view owns the terminal
	deadline     signals.Deadline

	// shots opens a source of the kernel's stackshots: of a process, [stackshot.OfKernel]
	// or OfAll. It is nil where the system takes none.
	shots        func(pid int) (stackshot.Source, error)
	byStackshots bool // the call uses shots
}

// tool returns the name and version that reports have.
func (c Command) tool() string { return "stacksnap " + c.Version }

func (c Command) call(o *cli.Options) *call {
	gate := new(task.Gate)
	made := &call{
		Reporter:     &out.Reporter{Streams: c.Streams, Options: o, Tool: c.tool(), Release: c.Release},
		entitlements: c.Entitlements, gate: gate, job: signals.NewJob(gate),
	}
	made.Reporter.OnReport = made.note
	if runtime.GOOS == "darwin" {
		made.shots = live.Stackshots
	}
	return made
}

// run executes the call in its mode.
func (c *call) run(ctx context.Context) error {
	switch c.Mode() {
	case cli.ModeVersion:
		_, err := fmt.Fprintln(c.Out, c.Tool)
		return err
	case cli.ModeSign:
		return live.Sign(func(line string) { fmt.Fprintln(c.Out, words.Printable(line)) }, c.entitlements)
	}
	if c.Mode() != cli.ModeTop { // which must restore the terminal first
		c.endAt(ctx)
		defer c.deadline.Lift()
	}
	if c.Mode() == cli.ModeCheck {
		return c.check(ctx)
	}
	if err := c.checkOutput(); err != nil {
		return err
	}
	if err := c.OpenPush(); err != nil {
		return err
	}
	defer c.remark()
	switch c.Mode() {
	case cli.ModeLaunch:
		return c.launch(ctx)
	case cli.ModeOpen:
		c.Release()
		return c.open()
	case cli.ModeDiff:
		c.Release()
		return c.compare()
	case cli.ModeSeveral:
		return c.gather(ctx)
	case cli.ModeSystem:
		if c.shots != nil {
			return c.stackshotAll(ctx)
		}
		return c.systemWide(ctx)
	}
	return c.attach(ctx)
}

// checkOutput returns an error if the result could be neither shown nor written anywhere.
func (c *call) checkOutput() error {
	if c.Mode() == cli.ModeTop {
		return c.checkScreen()
	}
	return c.CheckPlace()
}

// endAt ends the program soon after a first signal, when ctx is done, unless the deadline
// is lifted before. The kernel then resumes the threads that the program had stopped.
func (c *call) endAt(ctx context.Context) {
	end := func() {
		out.Tell(c.Err, "interrupted, and ended without a report: what was waited for did not come within "+signals.Grace.String())
		os.Exit(exitFailure)
	}
	release := c.Release
	c.Release = func() { c.deadline.Lift(); release() }
	c.deadline.Await(ctx, end)
}
