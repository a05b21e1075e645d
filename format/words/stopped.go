package words

import (
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// stoppedNote returns a note if the whole process was stopped, as by Ctrl-Z in a terminal
// or by a debugger; otherwise empty.
func stoppedNote(p *profile.Profile) string {
	switch p.Halted {
	case 0:
		return ""
	case p.Snapshots:
		return "the target was stopped, by " + stopper(p) + ": the stacks show where it will go on"
	}
	return "the target was stopped, by a signal or a debugger, in " + Count(p.Halted) + " of " + Plural(p.Snapshots, "snapshot")
}

// stopper names what has stopped a process. On Linux, a debugger that stops a live process is
// its tracer (TracerPid, proc_pid_status(5)), so that without a tracer it was a signal.
func stopper(p *profile.Profile) string {
	t := &p.Target
	switch {
	case t.Tracer != nil:
		return ProcessName(t.Tracer.Name, t.Tracer.PID)
	case t.Live && t.OS == task.Linux:
		return "a signal"
	}
	return "a signal or a debugger"
}

// resumedBy returns what makes a stopped process of Linux run again: another signal if a signal
// has stopped it, or only its tracer if that has. It is empty if the process was not captured
// live.
func resumedBy(p *profile.Profile) string {
	t := &p.Target
	switch {
	case !t.Live || t.OS != task.Linux || t.PID <= 0:
		return ""
	case t.Tracer != nil:
		return "; it traces the process, so that kill -CONT does nothing"
	}
	return fmt.Sprintf("; kill -CONT %d continues it", t.PID)
}
