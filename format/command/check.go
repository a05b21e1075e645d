package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/pick"
	"stacksnap/format/words"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/live"
)

// maxNameless is the number of files without symbols that --check lists.
const maxNameless = 20

// check prints what the call would do without --check. It neither attaches to the process
// nor stops it. It returns the error with which the call would be refused.
func (c *call) check(ctx context.Context) error {
	p, err := c.openTarget(ctx)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	err = c.describe(&said, p)
	if _, writeErr := said.WriteTo(c.Out); writeErr != nil && err == nil {
		err = writeErr
	}
	return errors.Join(err, p.Close())
}

// describe writes the lines of --check.
func (c *call) describe(to *bytes.Buffer, p task.Process) error {
	say := func(title, text string) { fmt.Fprintf(to, "%-9s%s\n", title, words.Printable(text)) }
	info := p.Info()
	say("Process", fmt.Sprintf("%s [%d], %s", info.Name, info.PID, about(live.Details(info.PID), time.Now())))
	threads, err := p.Threads()
	if err != nil {
		return err
	}
	if err := c.mayStop(p); err != nil {
		return err
	}
	say("Rights", "nothing refuses it, as far as can be told without attaching")
	say("Stops", c.stops(p, len(threads)))
	if cost := c.cost(); cost != "" {
		say("Samples", cost)
	}
	return c.names(say, p)
}

// about describes a process by its user, age and CPU time.
func about(d task.Details, now time.Time) string {
	text := "of user " + pick.UserName(d.User)
	if !d.Start.IsZero() {
		text += ", started " + pick.Brief(now.Sub(d.Start)) + " ago"
	}
	if d.CPU >= 0 {
		text += ", with " + pick.Brief(d.CPU) + " of CPU time"
	}
	return text
}

// mayStop returns an error if the process cannot be stopped in the way that the flags
// choose. For a watch it returns nil, since a watch waits until another tracer has gone.
func (c *call) mayStop(p task.Process) error {
	if c.Watches() {
		return nil
	}
	return task.CanStop(p, c.Suspension())
}

// stops describes what would be stopped, how often, and for how long.
func (c *call) stops(p task.Process, threads int) string {
	live := c.LiveMode()
	switch {
	case c.NoStop:
		return "nothing"
	case live == cli.ModeSamples && threads == 1:
		return "for each sample its only thread"
	case live == cli.ModeSamples && c.Suspend == "thread":
		return "for each sample " + inTurn(threads)
	case live == cli.ModeSamples && c.Suspend == "" && task.CanStop(p, task.SuspendThread) == nil:
		return "for each sample " + inTurn(threads) + ", or all at once while too many are busy for that"
	}
	together := c.together(p.Info().OS, threads)
	switch {
	case live == cli.ModeSamples:
		return "for each sample " + together
	case live == cli.ModeWatch:
		return c.when(p.Info().OS) + together + until(p)
	}
	return "once " + together + "; again where a stack goes on beyond the copy"
}

// inTurn describes a stop of one thread after another.
func inTurn(threads int) string {
	return fmt.Sprintf("one of %s after another", plural(threads, "thread"))
}

// together describes a stop of all threads at once. On Linux it says "up to", because a
// thread in a system call that a stop would interrupt is skipped.
func (c *call) together(os task.OS, threads int) string {
	if os == task.Linux {
		return fmt.Sprintf("up to %s at once, while stacks are copied, for %v at most (--max-stop)", plural(threads, "thread"), c.MaxStop)
	}
	return fmt.Sprintf("all of it, with %s, while stacks are copied", plural(threads, "thread"))
}

// when describes the occasions on which a watch stops the process.
func (c *call) when(os task.OS) string {
	switch {
	case c.Hang == 0:
		return "for each report "
	case os == task.Darwin:
		return "for each sample of a hang, and to capture a thread that runs, "
	}
	return "for each sample of a hang "
}

// until names the tracer that a watch has to wait for; empty if there is none.
func until(p task.Process) string {
	s := p.Capabilities().Stopper
	if s == nil {
		return ""
	}
	if by := s.Traced(); by != nil {
		return "; not while it is held: " + by.Error()
	}
	return ""
}

// cost describes the number of samples and their interval; empty unless the call samples.
func (c *call) cost() string {
	o, err := c.captureOptions()
	if err != nil || c.LiveMode() != cli.ModeSamples {
		return ""
	}
	text := "one every " + o.Interval.String()
	if o.Duration > 0 {
		text += " for " + o.Duration.String()
	}
	if o.Count > 0 {
		text += fmt.Sprintf(", %d at most", o.Count)
	}
	return text
}

// names describes the files that have no symbols, and the time that it took to load them
// all. Loading is most of what a snapshot costs besides the stop.
func (c *call) names(say func(title, text string), p task.Process) error {
	index, err := c.index()
	if err != nil {
		return err
	}
	began := time.Now()
	m, errs := images.Load(p, index, nil)
	took := time.Since(began)
	var nameless []string
	for _, im := range m.Images {
		if note := lacks(im); note != "" {
			nameless = append(nameless, im.Path+": "+note)
		}
	}
	all := len(m.Images)
	say("Symbols", fmt.Sprintf("in %d of %s, found in %v", all-len(nameless), plural(all, "file"), took.Round(100*time.Microsecond)))
	for i, line := range nameless {
		if i == maxNameless {
			say("", fmt.Sprintf("and %d more", len(nameless)-i))
			break
		}
		say("", line)
	}
	for _, err := range errs {
		say("", err.Error())
	}
	return m.Close()
}

// lacks returns the reason why the functions of a file have no names; empty if they have.
func lacks(im *images.Image) string {
	switch {
	case im.Err != nil:
		return im.Err.Error()
	case im.File == nil || !im.File.HasSymbols():
		return "no symbols; --symbols PATH looks for a file that has them"
	}
	return ""
}

// plural returns n with its noun, in the plural unless n is 1.
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
