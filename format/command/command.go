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

	"stacksnap/format/words"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/stackshot"
)

// Command is the program, as the system has started it.
type Command struct {
	streams
	Version      string
	Entitlements []byte // a property list: what --sign signs with
	// Release has a signal end the program at once. It is called when nothing heeds
	// the context of [Command.Run] any more.
	Release func()
}

// Run does what the arguments, without the program's name, ask for, and returns
// the exit code. It ends early, with its report, when ctx is done. What goes wrong
// is told on Err, on a line.
func (c Command) Run(ctx context.Context, args []string) int {
	o, err := parse(args, c.Getenv(defaultsVariable), live.Runs)
	var help *helpError
	switch {
	case errors.As(err, &help) && help.text != "":
		c.showHelp(help.text)
		return exitOK
	case errors.As(err, &help):
		fmt.Fprint(c.Out, help.help(c.Version))
		return exitOK
	case isBare(args) && c.canAsk():
		return c.runOffered(ctx, args)
	case len(args) == 0:
		fmt.Fprint(c.Err, usage)
		return exitUsage
	case err == nil:
		err = c.call(o).run(ctx)
	}
	if err != nil && !is[exitStatus](err) {
		tellError(c.Err, err)
	}
	return exitCode(err)
}

// runOffered has a person who gives no arguments, or says no more than what to do, choose
// among the processes that are busiest, or stuck, and goes on as if that one had been given.
func (c Command) runOffered(ctx context.Context, args []string) int {
	pid, err := offer(ctx, c.streams)
	if err != nil {
		tellError(c.Err, err)
		fmt.Fprint(c.Err, usage)
		return exitUsage
	}
	return c.Run(ctx, append(args, strconv.Itoa(pid)))
}

// isBare reports whether arguments say nothing of what to look at.
func isBare(args []string) bool { return len(args) == 0 || len(args) == 1 && args[0] == topWord }

// call is one call of the program.
type call struct {
	*reporter
	entitlements []byte
	gate         *task.Gate // within which anything is stopped
	job          *job
	indexed      *binaries.Index
	anyReported  bool
	onScreen     atomic.Bool // a live view has the terminal
	deadline     deadline

	// shots opens what takes the kernel's stackshots of a process, or of
	// [stackshot.OfKernel] or OfAll; nil where the system has none.
	shots   func(pid int) (stackshot.Source, error)
	filming bool // by them
}

func (c Command) call(o *options) *call {
	gate := new(task.Gate)
	made := &call{
		reporter:     &reporter{streams: c.streams, options: o, tool: "stacksnap " + c.Version, Release: c.Release},
		entitlements: c.Entitlements, gate: gate, job: newJob(gate),
	}
	made.reporter.reported = made.note
	if runtime.GOOS == "darwin" {
		made.shots = live.Stackshots
	}
	return made
}

// run does what is asked for.
func (c *call) run(ctx context.Context) error {
	switch c.mode() {
	case tells:
		_, err := fmt.Fprintln(c.Out, c.tool)
		return err
	case signs:
		return live.Sign(func(line string) { fmt.Fprintln(c.Out, words.Printable(line)) }, c.entitlements)
	}
	if c.mode() != tops { // which has the terminal to give back
		c.endAt(ctx)
		defer c.deadline.lift()
	}
	if c.mode() == checks {
		return c.foretell(ctx)
	}
	if err := c.checkOutput(); err != nil {
		return err
	}
	if err := c.openPush(); err != nil {
		return err
	}
	defer c.remark()
	switch c.mode() {
	case launches:
		return c.launch(ctx)
	case opens:
		c.Release()
		return c.open()
	case differs:
		c.Release()
		return c.compare()
	case gathers:
		return c.gather(ctx)
	case surveys:
		if c.shots != nil {
			return c.filmAll(ctx)
		}
		return c.survey(ctx)
	}
	return c.attach(ctx)
}

// checkOutput refuses to go on where what is wanted could be shown or written nowhere.
func (c *call) checkOutput() error {
	if c.mode() == tops {
		return c.checkScreen()
	}
	return c.checkPlace()
}

// endAt has the call end soon after a first signal. What the kernel knows to be held by
// this program, stopped threads first of all, it releases with it.
func (c *call) endAt(ctx context.Context) {
	end := func() {
		tell(c.Err, "interrupted, and ended without a report: what was waited for did not come within "+waitAtMost.String())
		os.Exit(exitFailure)
	}
	release := c.Release
	c.Release = func() { c.deadline.lift(); release() }
	c.deadline.await(ctx, end)
}
