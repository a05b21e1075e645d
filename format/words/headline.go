package words

import (
	"fmt"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/task"
)

// WriteHeadline writes what the report is about, in its first line; nothing where that
// is not known.
func (p *Printer) WriteHeadline() {
	whole := *p
	whole.Profile = p.Profile.Original()
	if text := whole.Headline(); text != "" {
		p.Text("", 2, p.Name(text))
		p.Line("")
	}
}

// Headline says in one line, without a line end, what a profile is about; it is
// empty where that is not known. Of a view it says that of all that was captured.
func Headline(p *profile.Profile) string {
	return (&Printer{Profile: p.Original()}).Headline()
}

// Headline is the function [Headline] of the printer's profile, in its colours.
func (p *Printer) Headline() string {
	h := headline.Of(p.Profile)
	switch h.Kind {
	case headline.Crashed:
		c := p.Profile.Target.Crash
		return strings.ToLower(crashName(c)) + ": " + crashed(c) + p.inFunction(h.Thread)
	case headline.Deadlocked:
		return p.someOf(h.Threads, "deadlocked") + among(&h)
	case headline.Stopped:
		return "stopped, by " + stopper(p.Profile) + ": nothing runs until it goes on"
	case headline.Convoy:
		return p.convoy(&h)
	case headline.Locked, headline.Blocked:
		return "main thread waits " + p.WaitFor(h.Thread.ID, h.Wait) + whenAsked(&h)
	case headline.Idle:
		return "idle: main thread in " + Word(h.Wait.Call, MaxText) + whenAsked(&h)
	case headline.Running:
		return p.runs(&h)
	case headline.Computing:
		return p.computes(&h.CPU)
	case headline.Starved:
		return fmt.Sprintf("starved: ready to run for %s, and for %s of that without a CPU",
			Seconds(h.CPU.OnCPU+h.CPU.Queue), Seconds(h.CPU.Queue))
	case headline.Stuck:
		return p.stuck(&h)
	}
	return ""
}

// stuck tells of a thread that nothing can wake: the main one, or the one whose end that
// waits for.
func (p *Printer) stuck(h *headline.Headline) string {
	text := "main thread"
	if !h.Main {
		text = p.ThreadName(h.Thread.ID, h.Thread.Name)
	}
	text += " waits uninterruptibly, as for a disk, in " + Percent(h.CPU.Share) + " of its samples"
	switch {
	case h.Wait != nil && len(h.Thread.Waits) > 1:
		text += ", " + p.WaitFor(h.Thread.ID, h.Wait) + " and others"
	case h.Wait != nil:
		text += ", " + p.WaitFor(h.Thread.ID, h.Wait)
	case h.CPU.Hotspot == headline.Function:
		text += ", in " + p.plainWhole(h.CPU.Where)
	}
	if !h.Main {
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
func among(h *headline.Headline) string {
	if !h.Main {
		return ""
	}
	if h.Threads == 1 {
		return ": the main thread"
	}
	return ", the main thread among them"
}

func (p *Printer) convoy(h *headline.Headline) string {
	n := fmt.Sprintf("%s of %s threads wait ", Count(h.Threads), Count(p.Profile.NumThreads()))
	return n + p.WaitFor(0, h.Wait) + among(h)
}

// whenAsked says how often a thread was found to wait so.
func whenAsked(h *headline.Headline) string {
	if h.Looks == 0 {
		return ""
	}
	return ", in " + inLooks(h.Looks, h.Looks)
}

// runs tells of the threads that could run in one snapshot.
func (p *Printer) runs(h *headline.Headline) string {
	t := h.Thread
	if t == nil {
		return p.someOf(h.Threads, "on a CPU or ready to be") + among(h)
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
func (p *Printer) computes(b *headline.CPUTime) string {
	part := Percent(b.Share) + " of the CPU time"
	used := fmt.Sprintf("%s in %s", Seconds(b.OnCPU), Seconds(p.Profile.Duration()))
	of := "; CPU time was " + used // of all threads, not of the function alone
	switch b.Hotspot {
	case headline.Function:
		return part + " in " + p.plainWhole(b.Where) + of
	case headline.Subtree:
		return part + " in " + p.plainWhole(b.Where) + " and what it calls" + of
	case headline.Collector:
		return part + " in Go's garbage collection" + of
	case headline.Generated:
		return part + " in generated code, of no file" + of
	}
	if b.Where.Function == "" {
		return "busy: CPU time was " + used
	}
	return "busy: CPU time was " + used + ", most of it, " + Percent(b.Share) + ", in " + p.plainWhole(b.Where)
}

// Percent writes a part of 1, without more digits than a line for a glance needs.
func Percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }
