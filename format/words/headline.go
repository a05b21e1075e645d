package words

import (
	"fmt"
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/format/profile/owncode"
	"stacksnap/format/profile/waits/python"
)

// WriteHeadline writes the headline of the whole capture and an empty line; nothing if nothing is
// certain.
func (p *Printer) WriteHeadline(h *headline.Headline) {
	whole := *p
	whole.Profile = p.Profile.Original()
	if text := whole.sentence(h); text != "" {
		p.Text("", 2, p.Name(text))
		p.Line("")
	}
}

// Headline returns the headline of a profile in one line, without a line end; empty if
// nothing is certain. For a view it is that of the whole capture.
func Headline(p *profile.Profile) string {
	return (&Printer{Profile: p.Original()}).Headline()
}

// Headline is the function [Headline] for the printer's profile, in its colours.
func (p *Printer) Headline() string {
	h := headline.Of(p.Profile)
	return p.sentence(&h)
}

// sentence returns a headline of the printer's profile in one line; "" if nothing is certain.
func (p *Printer) sentence(h *headline.Headline) string {
	switch h.Kind {
	case headline.Crashed:
		c := p.Profile.Target.Crash
		return strings.ToLower(crashName(c)) + ": " + crashed(c) + p.inFunction(h.Thread)
	case headline.Deadlocked:
		return p.someOf(h.Threads, "deadlocked") + among(h) + deadlockedFor(h.NotRun)
	case headline.TasksDeadlocked:
		return taskDeadlock(p.Profile.TaskDeadlocks)
	case headline.Stopped:
		return "stopped" + forAtLeast(h.NotRun) + ", by " + stopper(p.Profile) + ": nothing runs until it goes on" + resumedBy(p.Profile)
	case headline.Convoy:
		return hung(h.Wait) + p.convoy(h)
	case headline.Locked, headline.Blocked:
		return p.blocked(h)
	case headline.Parked:
		return p.parked(h.Tasks)
	case headline.Alike:
		return hung(h.Wait) + p.alike(h)
	case headline.Idle:
		return "idle: main thread in " + Word(h.Wait.Call, MaxText) + forAtLeast(h.NotRun) + whenAsked(h) + titled(h)
	case headline.Stalled:
		return stalled(h.Wait.Stalled) + "; main thread" + waited(h.Thread) + "in " + Word(h.Wait.Call, MaxText) + whenAsked(h) + titled(h)
	case headline.Running:
		return p.runs(h)
	case headline.Computing:
		return p.computes(&h.CPU)
	case headline.Starved:
		return "starved: " + waitingForCPU(&h.CPU)
	case headline.Stuck:
		return p.stuck(h)
	case headline.Located:
		return p.located(h)
	}
	return ""
}

// hung returns a clause for a wait in a process none of whose threads can wake another; "" for any
// other wait.
func hung(w *profile.Wait) string {
	switch w.Hung {
	case 0:
		return ""
	case 1:
		return "hung: the only thread waits, and nothing in the process can wake it; "
	case 2:
		return "hung: both threads wait, and neither can wake the other; "
	}
	return fmt.Sprintf("hung: all %s threads wait, and none can wake another; ", Count(w.Hung))
}

// clause returns a text as a further clause of a sentence; "" if it is empty.
func clause(text string) string {
	if text == "" {
		return ""
	}
	return "; " + text
}

// blocked describes the wait of the main thread.
func (p *Printer) blocked(h *headline.Headline) string {
	text := hung(h.Wait) + "main thread" + p.waitsIn(h.Thread, h.Wait, h.Own) + p.holds(h.Thread) + p.chain(h.Wait) + p.alsoHung(h) +
		whenAsked(h) + clause(stalled(h.Wait.Stalled)) + titled(h)
	if h.Wait.Call == profile.PageFault {
		busy := headline.BusyOf(h.Thread)
		text += faults(&busy)
	}
	return text
}

// located names the function in which the main thread was found most often and, for many
// snapshots, the CPU time of the process.
func (p *Printer) located(h *headline.Headline) string {
	text := "main thread in " + p.plainWhole(h.CPU.Where)
	if p.Profile.Sampled() {
		text += " in " + Percent(h.CPU.Share) + " of its samples"
	}
	if !owncode.Is(&h.CPU.Where) {
		text += p.calledBy(h.Own)
	}
	if p.Profile.Sampled() && h.CPU.OnCPU > 0 {
		text += "; " + p.cpuTime(&h.CPU)
	}
	return text
}

// cpuTime returns a clause with the CPU time of all threads, and the time for which they waited
// for a CPU.
func (p *Printer) cpuTime(b *headline.CPUTime) string {
	return fmt.Sprintf("CPU time was %s in %s", Seconds(b.OnCPU), Seconds(p.Profile.Duration())) + waitedForCPU(b)
}

// stuck describes a thread in an uninterruptible sleep: the main thread, or the one
// whose end the main thread waits for.
func (p *Printer) stuck(h *headline.Headline) string {
	text := "main thread"
	if !h.Main {
		text = p.ThreadName(h.Thread.ID, h.Thread.Name)
	}
	text += waited(h.Thread) + "uninterruptibly, as for a disk"
	if p.Profile.Sampled() {
		text += ", in " + Percent(h.CPU.Share) + " of its samples"
	}
	switch {
	case h.Wait != nil && len(h.Thread.Waits) > 1:
		text += ", " + p.WaitFor(h.Thread.ID, h.Wait) + " and others"
	case h.Wait != nil:
		text += ", " + p.WaitFor(h.Thread.ID, h.Wait)
	case h.CPU.Hotspot == headline.Function:
		text += ", in " + p.plainWhole(h.CPU.Where)
	}
	if h.Wait != nil || !owncode.Is(&h.CPU.Where) {
		text += p.calledBy(h.Own)
	}
	if !h.Main {
		text += "; the main thread waits for its end"
	}
	busy := headline.BusyOf(h.Thread)
	return text + faults(&busy)
}

// someOf returns a phrase with how many of the threads what applies to.
func (p *Printer) someOf(n int, what string) string {
	all := p.Profile.NumThreads()
	switch {
	case all == 1:
		return "the only thread is " + what
	case n == 1:
		return fmt.Sprintf("1 of %s threads is %s", Count(all), what)
	case n > all: // some threads were not captured
		return Plural(n, "thread") + " are " + what
	}
	return fmt.Sprintf("%s of %s threads are %s", Count(n), Count(all), what)
}

// deadlockedFor returns a phrase with how long a deadlock has lasted at least; empty if that is unknown.
func deadlockedFor(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return "," + forAtLeast(d)
}

// among returns a phrase if the main thread is one of several.
func among(h *headline.Headline) string {
	if !h.Main {
		return ""
	}
	if h.Threads == 1 {
		return ": the main thread"
	}
	return ", the main thread among them"
}

// convoy returns the headline of threads that wait for one lock.
func (p *Printer) convoy(h *headline.Headline) string {
	n := fmt.Sprintf("%s of %s threads%s", Count(h.Threads), Count(p.Profile.NumThreads()), haveWaited(h.NotRun))
	if h.Thread == nil {
		return n + p.WaitFor(0, h.Wait) + p.calledBy(h.Own) + among(h) + p.chain(h.Wait)
	}
	what := python.Wait(h.Thread, h.Wait)
	text := n + what + p.calledBy(h.Own) + among(h)
	if python.HasNoHolder(what) {
		text += noHolder("Python")
	}
	return text
}

// noHolder returns a clause for a lock whose holder a language does not record.
func noHolder(language string) string { return "; " + language + " does not record who holds it" }

// alike returns the headline of many threads that wait at one place.
func (p *Printer) alike(h *headline.Headline) string {
	in := "in " + CallName(h.Wait)
	if h.SameObject {
		in = p.WaitFor(0, h.Wait)
	}
	text := fmt.Sprintf("%s of %s threads%s%s", Count(h.Threads), Count(p.Profile.NumThreads()), haveWaited(h.NotRun), in)
	return text + p.calledBy(h.Own) + whenAsked(h)
}

// whenAsked returns a phrase with the number of observations that found a wait.
func whenAsked(h *headline.Headline) string {
	if h.Looks == 0 {
		return ""
	}
	return ", in " + inLooks(h.Looks, h.Looks)
}

// titled returns a phrase with the title of the process; "" if there is none.
func titled(h *headline.Headline) string {
	if h.Title == "" {
		return ""
	}
	return "; its title says " + Quoted(h.Title)
}

// runs describes the threads that were runnable in one snapshot, by the one with the most CPU
// time.
func (p *Printer) runs(h *headline.Headline) string {
	t := h.Thread
	busy := headline.BusyOf(t)
	name := "main thread"
	if !t.Main {
		name = p.ThreadName(t.ID, t.Name)
	}
	text := name + p.inFunction(t) + busyFor(&busy) + p.holds(t)
	if h.Wait != nil {
		call := inCall(h.Wait) + p.calledBy(h.Own) + busyFor(&busy) + p.holds(t)
		if h.Threads == 1 && !busy.IsMostly() {
			return name + " " + call
		}
		text = name + ", " + call
	}
	switch {
	case h.Threads > 1:
		return p.someOf(h.Threads, "on a CPU or ready to be") + among(h) + "; most CPU time: " + text
	case busy.IsStarved():
		return "starved: " + text
	case busy.Paging:
		return "paging from disk: " + text
	case busy.Share > 0 && busy.System > 0:
		return "busy in the kernel: " + text
	}
	return "busy: " + text
}

// inFunction returns a phrase with the innermost frame of a thread in one snapshot, and with the
// frame of own code that called it.
func (p *Printer) inFunction(t *profile.Thread) string {
	if t == nil || p.Profile.Sampled() {
		return ""
	}
	stack := t.Heaviest()
	if len(stack) == 0 {
		return ""
	}
	l, own := stack[len(stack)-1].Location, owncode.Innermost(stack)
	if own != nil && own == stack[len(stack)-1] {
		own = nil
	}
	switch {
	case l.Function == "" && l.Kernel:
		return ", in the kernel" + p.calledBy(own)
	case l.Function == "" && l.Image == nil:
		return ", in code of no file" + p.calledBy(own)
	}
	return ", in " + p.plainWhole(l) + p.calledBy(own)
}

// calledBy returns a phrase with a frame of own code, as the innermost frame or as a caller; "" if
// there is none.
func (p *Printer) calledBy(own *profile.Node) string {
	switch {
	case own == nil:
		return ""
	case len(own.Children) == 0:
		return ", in " + p.functionIn(own.Location, nameRoom) + sourceLine(&own.Location)
	}
	return ", called by " + p.functionIn(own.Location, nameRoom) + sourceLine(&own.Location)
}

// plainWhole returns the name of a function, with its source line if it is own code, else with its
// image.
func (p *Printer) plainWhole(l profile.Location) string {
	if l.File != "" && owncode.Is(&l) {
		return p.functionIn(l, nameRoom) + sourceLine(&l)
	}
	if l.Function == "" {
		return ImageName(l.Image)
	}
	if l.Image == nil {
		return p.functionIn(l, nameRoom)
	}
	return p.functionIn(l, nameRoom) + " (" + ImageName(l.Image) + ")"
}

// computes describes what used the CPU time.
func (p *Printer) computes(b *headline.CPUTime) string {
	part := Percent(b.Share) + " of the CPU time"
	of := "; " + p.cpuTime(b)
	switch b.Hotspot {
	case headline.Function:
		return part + " in " + p.plainWhole(b.Where) + p.calledBy(b.Own) + of
	case headline.Subtree:
		return part + " in " + p.plainWhole(b.Where) + " and what it calls" + p.calledBy(b.Own) + of
	case headline.Collector:
		return part + " in Go's garbage collection" + of
	case headline.Generated:
		return part + " in generated code, of no file" + of
	}
	if b.Where.Function == "" {
		return "busy: " + p.cpuTime(b)
	}
	used := fmt.Sprintf("%s in %s", Seconds(b.OnCPU), Seconds(p.Profile.Duration()))
	return "busy: CPU time was " + used + ", the largest part, " + Percent(b.Share) + ", in " + p.plainWhole(b.Where) + p.calledBy(b.Own) + waitedForCPU(b)
}

// waitedShare is the least fraction of their runnable time for which threads must have waited
// for a CPU to be worth a clause.
const waitedShare = 0.2

// waitedForCPU returns a clause on the time in which threads waited for a CPU; "" if that is
// short.
func waitedForCPU(b *headline.CPUTime) string {
	if float64(b.Queue) < waitedShare*float64(b.OnCPU+b.Queue) || b.Queue == 0 {
		return ""
	}
	return ", " + waitingForCPU(b)
}

// waitingForCPU returns a phrase with the share of the runnable time in which threads waited for
// a CPU.
func waitingForCPU(b *headline.CPUTime) string {
	return "waiting for a CPU " + Percent(float64(b.Queue)/float64(b.OnCPU+b.Queue)) + " of the time when runnable"
}

// nameRoom is how many columns a headline has for the name of a function. A longer name is
// shortened, but its class and function are kept.
const nameRoom = 40

// Percent formats a fraction as a whole number of percent.
func Percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }
