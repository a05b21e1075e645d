package format

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// halted counts the snapshots in which the whole process was stopped: by a
// signal, as by Ctrl-Z in a terminal, or by a debugger.
func halted(p *profile.Profile) int {
	n := p.Snapshots
	for _, t := range p.Threads {
		if t.Samples == p.Snapshots {
			n = min(n, t.States[task.Stopped])
		}
	}
	if len(p.Threads) == 0 {
		return 0
	}
	return n
}

// haltedNote says so; the empty string when it was not.
func haltedNote(p *profile.Profile) string {
	n := halted(p)
	switch {
	case n == 0:
		return ""
	case n == p.Snapshots:
		return "the target was stopped, by " + halter(p) + ": this is where it stands until it goes on"
	}
	return "the target was stopped, by a signal or a debugger, in " + count(n) + " of " + plural(p.Snapshots, "snapshot")
}

// halter is who has stopped a process.
func halter(p *profile.Profile) string {
	if t := p.Target.Tracer; t != nil {
		return process(t.Name, t.PID)
	}
	return "a signal or a debugger"
}
