package words

import (
	"fmt"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/answer"
	"stacksnap/task"
)

// Answer writes what the report is about, in its first line; nothing where that
// is not known.
func (p *Printer) Answer() {
	whole := *p
	whole.Profile = p.Profile.Original()
	if text := whole.Summary(); text != "" {
		p.Text("", 2, p.Name(text))
		p.Line("")
	}
}

// Summary says in one line, without a line end, what a profile is about; it is
// empty where that is not known. Of a view it says that of all that was captured.
func Summary(p *profile.Profile) string {
	return (&Printer{Profile: p.Original()}).Summary()
}

// Summary is Summary.
func (p *Printer) Summary() string {
	a := answer.Of(p.Profile)
	switch a.Kind {
	case answer.Crashed:
		c := p.Profile.Target.Crash
		return strings.ToLower(crashName(c)) + ": " + crashed(c) + p.inFunction(a.Thread)
	case answer.Deadlocked:
		return p.someOf(a.Threads, "deadlocked") + among(&a)
	case answer.Halted:
		return "stopped, by " + halter(p.Profile) + ": nothing runs until it goes on"
	case answer.Convoy:
		return p.convoy(&a)
	case answer.Locked, answer.Blocked:
		return "main thread waits " + p.WaitFor(a.Thread.ID, a.Wait) + whenAsked(&a)
	case answer.Idle:
		return "idle: main thread in " + Word(a.Wait.Call, MaxText) + whenAsked(&a)
	case answer.Running:
		return p.runs(&a)
	case answer.Computing:
		return p.computes(&a.Busy)
	case answer.Starved:
		return fmt.Sprintf("starved: ready to run for %s, and for %s of that without a CPU",
			Seconds(a.Busy.OnCPU+a.Busy.Queue), Seconds(a.Busy.Queue))
	case answer.Stuck:
		return p.stuck(&a)
	}
	return ""
}

// stuck tells of a thread that nothing can wake: the main one, or the one whose end that
// waits for.
func (p *Printer) stuck(a *answer.Answer) string {
	text := "main thread"
	if !a.Main {
		text = p.ThreadName(a.Thread.ID, a.Thread.Name)
	}
	text += " waits uninterruptibly, as for a disk, in " + Percent(a.Busy.Share) + " of its samples"
	switch {
	case a.Wait != nil && len(a.Thread.Waits) > 1:
		text += ", " + p.WaitFor(a.Thread.ID, a.Wait) + " and others"
	case a.Wait != nil:
		text += ", " + p.WaitFor(a.Thread.ID, a.Wait)
	case a.Busy.What == answer.Function:
		text += ", in " + p.plainWhole(a.Busy.Where)
	}
	if !a.Main {
		text += "; the main thread waits for its end"
	}
	return text
}

// someOf says how many of the threads are so.
func (p *Printer) someOf(n int, what string) string {
	all := p.Profile.NumThreads()
	switch {
	case all == 1:
		return "the only thread is " + what
	case n == 1:
		return fmt.Sprintf("1 of %s threads is %s", Count(all), what)
	case n > all: // of which others were not captured
		return Plural(n, "thread") + " are " + what
	}
	return fmt.Sprintf("%s of %s threads are %s", Count(n), Count(all), what)
}

// among says that the main thread is one of several.
func among(a *answer.Answer) string {
	if !a.Main {
		return ""
	}
	if a.Threads == 1 {
		return ": the main thread"
	}
	return ", the main thread among them"
}

func (p *Printer) convoy(a *answer.Answer) string {
	n := fmt.Sprintf("%s of %s threads wait ", Count(a.Threads), Count(p.Profile.NumThreads()))
	return n + p.WaitFor(0, a.Wait) + among(a)
}

// whenAsked says how often a thread was found to wait so.
func whenAsked(a *answer.Answer) string {
	if a.Looks == 0 {
		return ""
	}
	return ", in " + inLooks(a.Looks, a.Looks)
}

// runs tells of the threads that could run in one snapshot.
func (p *Printer) runs(a *answer.Answer) string {
	t := a.Thread
	if t == nil {
		return p.someOf(a.Threads, "on a CPU or ready to be") + among(a)
	}
	text := "runnable: "
	switch t.Turn {
	case task.OnCPU:
		text = "busy: "
	case task.Queued:
		text = "waiting for a CPU: "
	}
	if t.Main {
		text += "main thread"
	} else {
		text += p.ThreadName(t.ID, t.Name)
	}
	return text + p.inFunction(t)
}

// inFunction names the innermost frame of a thread of one snapshot.
func (p *Printer) inFunction(t *profile.Thread) string {
	if t == nil || p.Profile.Sampled() {
		return ""
	}
	stack := t.Heaviest()
	if len(stack) == 0 {
		return ""
	}
	l := stack[len(stack)-1].Location
	if l.Function == "" && l.Kernel {
		return ", in the kernel"
	}
	if l.Function == "" && l.Image == nil {
		return ", in code of no file"
	}
	return ", in " + p.plainWhole(l)
}

// plainWhole names a function without a place in it.
func (p *Printer) plainWhole(l profile.Location) string {
	if l.Function == "" {
		return ImageName(l.Image)
	}
	if l.Image == nil {
		return p.Function(l)
	}
	return p.Function(l) + " (" + ImageName(l.Image) + ")"
}

// computes tells what the time on processors went to.
func (p *Printer) computes(b *answer.Busy) string {
	part := Percent(b.Share) + " of the CPU time"
	used := fmt.Sprintf("%s in %s", Seconds(b.OnCPU), Seconds(p.Profile.Duration()))
	of := "; CPU time was " + used // of all threads, not of the function alone
	switch b.What {
	case answer.Function:
		return part + " in " + p.plainWhole(b.Where) + of
	case answer.Under:
		return part + " in " + p.plainWhole(b.Where) + " and what it calls" + of
	case answer.Collector:
		return part + " in Go's garbage collection" + of
	case answer.Generated:
		return part + " in generated code, of no file" + of
	}
	if b.Where.Function == "" {
		return "busy: CPU time was " + used
	}
	return "busy: CPU time was " + used + ", most of it, " + Percent(b.Share) + ", in " + p.plainWhole(b.Where)
}

// Percent writes a part of 1, without more digits than a line for a glance needs.
func Percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }
