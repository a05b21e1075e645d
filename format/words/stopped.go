package words

import (
	"stacksnap/format/profile"
)

// stoppedNote says that the whole process was stopped, as by Ctrl-Z in a terminal or by a
// debugger; the empty string when it was not.
func stoppedNote(p *profile.Profile) string {
	switch p.Halted {
	case 0:
		return ""
	case p.Snapshots:
		return "the target was stopped, by " + stopper(p) + ": this is where it stands until it goes on"
	}
	return "the target was stopped, by a signal or a debugger, in " + Count(p.Halted) + " of " + Plural(p.Snapshots, "snapshot")
}

// stopper is who has stopped a process.
func stopper(p *profile.Profile) string {
	if t := p.Target.Tracer; t != nil {
		return ProcessName(t.Name, t.PID)
	}
	return "a signal or a debugger"
}
