package text

import (
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/task"
)

// next writes, on a terminal, the command that helps next after one snapshot of a
// live process, and the command that shows all of the snapshot.
func (p *printer) next(h *headline.Headline) {
	t := &p.Profile.Target
	if p.Width == 0 || !t.Live || t.PID <= 0 || p.Profile.Sampled() || p.factsFirst {
		return
	}
	p.Fact("Next", p.Faint(nextStep(p.Profile.Original(), h)))
	if lacksCPU(h) {
		p.Fact("Other work", p.Faint(whatElseRuns))
	}
	if !p.everyFrame {
		p.Fact("Every frame", p.Faint(fmt.Sprintf("stacksnap %d --addresses", t.PID)))
	}
}

const whatElseRuns = "stacksnap --system -d 5 shows what else runs"

// mostlyWaited is the part of its runnable time above which a thread lost most of its CPU time to
// other work.
const mostlyWaited = 0.5

// lacksCPU reports whether the thread of a headline uses all the CPU time that it gets, and other work
// has most of it.
func lacksCPU(h *headline.Headline) bool {
	if h.Kind != headline.Running {
		return false
	}
	busy := headline.BusyOf(h.Thread)
	return busy.Waited > mostlyWaited && !busy.IsStarved()
}

// nextOfStopped returns a phrase with the command that continues a stopped process,
// or that shows the process that stopped it. On a Mac, a debugger may have suspended
// the task.
func nextOfStopped(t *task.Info) string {
	switch {
	case t.Tracer != nil:
		return shows(t.Tracer.PID, "the process that has stopped it")
	case t.OS == task.Linux:
		return fmt.Sprintf("kill -CONT %d continues it", t.PID)
	}
	return fmt.Sprintf("kill -CONT %d continues it, if a signal stopped it", t.PID)
}

// nextStep returns a command, and what it does, in a line of 63 columns at most.
func nextStep(p *profile.Profile, h *headline.Headline) string {
	pid := p.Target.PID
	switch h.Kind {
	case headline.Deadlocked, headline.TasksDeadlocked:
		return keep(pid)
	case headline.Stopped:
		return nextOfStopped(&p.Target)
	case headline.Idle:
		return fmt.Sprintf("stacksnap --hang 2s %d reports when it is stuck", pid)
	case headline.Running:
		if busy := headline.BusyOf(h.Thread); busy.IsStarved() {
			return whatElseRuns
		}
		return samplesShow(pid, "where its time goes")
	case headline.Parked:
		return fmt.Sprintf("stacksnap %d once more shows whether it stays there", pid)
	}
	if h.Wait == nil {
		return samplesShow(pid, "where its time goes")
	}
	return nextOfWait(p, h)
}

// nextOfWait is like nextStep, for a thread that waits.
func nextOfWait(p *profile.Profile, h *headline.Headline) string {
	pid, w := p.Target.PID, lastWait(p, h.Wait)
	switch {
	case w == nil: // the holder runs
		return samplesShow(pid, "where its time goes")
	case h.IsBlockedBackend():
		return fmt.Sprintf("psql -c 'SELECT pg_blocking_pids(%d)' shows what blocks it", pid)
	case w.Hung > 0 || w.GoneOwner != 0:
		return keep(pid)
	case w.WaitsForOther():
		return shows(w.Peer.PID, peerRole(w.Peer.Action))
	case w.OwnerPID != 0 && w.OwnerPID != pid:
		return shows(w.OwnerPID, peerRole(profile.Release))
	case w.Stalled != nil && w.Stalled.PID != 0 && w.Stalled.PID != pid:
		return shows(w.Stalled.PID, peerRole(profile.Reply))
	}
	return samplesShow(pid, "whether it stays there")
}

// lastWait follows a chain of waits, each for the owner of a lock, and returns the
// last wait. It returns nil if the last owner runs.
func lastWait(p *profile.Profile, w *profile.Wait) *profile.Wait {
	const most = 8
	for range most {
		t := p.Find(w.Owner)
		switch {
		case w.Owner == 0 || t == nil:
			return w
		case t.State == task.Running:
			return nil
		case t.Wait == nil:
			return w
		}
		w = t.Wait
	}
	return w
}

func keep(pid int) string {
	return fmt.Sprintf("stacksnap %d -o %d.snap keeps it, before a restart", pid, pid)
}

func samplesShow(pid int, what string) string {
	return fmt.Sprintf("stacksnap -d 5 %d shows %s", pid, what)
}

func shows(pid int, what string) string { return fmt.Sprintf("stacksnap %d shows %s", pid, what) }

// peerRole returns a word for the role of the process that a thread waits for.
func peerRole(a profile.Action) string {
	switch a {
	case profile.Release:
		return "the process that holds the lock"
	case profile.End:
		return "the process that has to end"
	}
	return "the process at the other end"
}
