package format

import (
	"fmt"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/answer"
	"stacksnap/task"
)

// answer writes what the report is about, in its first line; nothing where that
// is not known.
func (p *printer) answer() {
	whole := *p
	whole.profile = p.profile.Original()
	if text := whole.summary(); text != "" {
		p.text("", 2, p.name(text))
		p.line("")
	}
}

// Summary says in one line, without a line end, what a profile is about; it is
// empty where that is not known. Of a view it says that of all that was captured.
func Summary(p *profile.Profile) string {
	return (&printer{profile: p.Original()}).summary()
}

// summary is Summary.
func (p *printer) summary() string {
	a := answer.Of(p.profile)
	switch a.Kind {
	case answer.Crashed:
		c := p.profile.Target.Crash
		return strings.ToLower(crashName(c)) + ": " + crashed(c) + p.inFunction(a.Thread)
	case answer.Deadlocked:
		return p.someOf(a.Threads, "deadlocked") + among(&a)
	case answer.Halted:
		return "stopped, by " + halter(p.profile) + ": nothing runs until it goes on"
	case answer.Convoy:
		return p.convoy(&a)
	case answer.Locked, answer.Blocked:
		return "main thread waits " + p.waitFor(a.Thread.ID, a.Wait) + whenAsked(&a)
	case answer.Idle:
		return "idle: main thread in " + word(a.Wait.Call, maxText) + whenAsked(&a)
	case answer.Running:
		return p.runs(&a)
	case answer.Computing:
		return p.computes(&a.Busy)
	case answer.Starved:
		return fmt.Sprintf("starved: ready to run for %s, and for %s of that without a CPU",
			seconds(a.Busy.OnCPU+a.Busy.Queue), seconds(a.Busy.Queue))
	case answer.Stuck:
		return p.stuck(&a)
	}
	return ""
}

// stuck tells of a thread that nothing can wake: the main one, or the one whose end that
// waits for.
func (p *printer) stuck(a *answer.Answer) string {
	text := "main thread"
	if !a.Main {
		text = p.threadName(a.Thread.ID, a.Thread.Name)
	}
	text += " waits uninterruptibly, as for a disk, in " + percent(a.Busy.Share) + " of its samples"
	switch {
	case a.Wait != nil && len(a.Thread.Waits) > 1:
		text += ", " + p.waitFor(a.Thread.ID, a.Wait) + " and others"
	case a.Wait != nil:
		text += ", " + p.waitFor(a.Thread.ID, a.Wait)
	case a.Busy.What == answer.Function:
		text += ", in " + p.plainWhole(a.Busy.Where)
	}
	if !a.Main {
		text += "; the main thread waits for its end"
	}
	return text
}

// someOf says how many of the threads are so.
func (p *printer) someOf(n int, what string) string {
	all := p.profile.NumThreads()
	switch {
	case all == 1:
		return "the only thread is " + what
	case n == 1:
		return fmt.Sprintf("1 of %s threads is %s", count(all), what)
	case n > all: // of which others were not captured
		return plural(n, "thread") + " are " + what
	}
	return fmt.Sprintf("%s of %s threads are %s", count(n), count(all), what)
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

func (p *printer) convoy(a *answer.Answer) string {
	n := fmt.Sprintf("%s of %s threads wait ", count(a.Threads), count(p.profile.NumThreads()))
	return n + p.waitFor(0, a.Wait) + among(a)
}

// whenAsked says how often a thread was found to wait so.
func whenAsked(a *answer.Answer) string {
	if a.Looks == 0 {
		return ""
	}
	return ", in " + inLooks(a.Looks, a.Looks)
}

// runs tells of the threads that could run in one snapshot.
func (p *printer) runs(a *answer.Answer) string {
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
		text += p.threadName(t.ID, t.Name)
	}
	return text + p.inFunction(t)
}

// inFunction names the innermost frame of a thread of one snapshot.
func (p *printer) inFunction(t *profile.Thread) string {
	if t == nil || p.profile.Sampled() {
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
func (p *printer) plainWhole(l profile.Location) string {
	if l.Function == "" {
		return imageName(l.Image)
	}
	if l.Image == nil {
		return p.function(l)
	}
	return p.function(l) + " (" + imageName(l.Image) + ")"
}

// computes tells what the time on processors went to.
func (p *printer) computes(b *answer.Busy) string {
	part := percent(b.Share) + " of the CPU time"
	used := fmt.Sprintf("%s in %s", seconds(b.OnCPU), seconds(p.profile.Duration()))
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
	return "busy: CPU time was " + used + ", most of it, " + percent(b.Share) + ", in " + p.plainWhole(b.Where)
}

// percent writes a part of 1, without more digits than a line for a glance needs.
func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }
