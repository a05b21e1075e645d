package format

import (
	"fmt"
	"path"
	"time"

	"stacksnap/format/profile"
)

// maxNotes bounds the notes printed: a thousand images may all be unreadable.
const maxNotes = 40

// header writes whose stacks these are, and how and when they were captured.
func (p *printer) header() {
	p.target()
	p.line("")
	p.capture()
	p.notes()
	p.deadlocks()
}

func (p *printer) target() {
	t := &p.profile.Target
	p.fact("Process", process(t.Name, t.PID))
	p.fact("Path", clean(t.Path, maxPath))
	if p.profile.Main != nil {
		p.fact("Load Address", p.profile.Main.Load.String())
	}
	p.fact("Architecture", architecture(p.profile))
	if t.ParentPID != 0 {
		p.fact("Parent Process", process(t.ParentName, t.ParentPID))
	}
	p.fact("OS Version", clean(t.OSVersion, maxText))
}

func process(name string, pid int) string {
	if name == "" {
		name = "???"
	}
	if pid == 0 { // a core that does not tell
		return clean(name, maxText)
	}
	return fmt.Sprintf("%s [%d]", clean(name, maxText), pid)
}

func architecture(p *profile.Profile) string {
	if p.Target.Translated {
		return "x86_64 (translated)"
	}
	return p.Target.Arch.String()
}

func (p *printer) capture() {
	pr := p.profile
	p.fact("Date/Time", moment(pr.Start))
	if pr.Sampled() {
		p.fact("End Time", moment(pr.End))
	}
	p.fact("Launch Time", moment(pr.Target.Start))
	if pr.Sampled() {
		p.fact("Duration", fmt.Sprintf("%s, %s%s", duration(pr.Duration()), plural(pr.Snapshots, "snapshot"), pace(pr)))
	}
	p.fact("Captured", captured(pr))
	p.fact("Stopped", stopped(pr))
	p.fact("Cost", cost(pr))
	p.fact("Tool", clean(pr.Tool, maxText))
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(timeLayout)
}

// pace is how often snapshots were to be taken, and how often that failed.
func pace(p *profile.Profile) string {
	s := ""
	if p.Interval > 0 {
		s = " every " + duration(p.Interval)
	}
	if p.MissedTicks > 0 {
		s += ", " + count(p.MissedTicks) + " missed"
	}
	return s
}

func captured(p *profile.Profile) string {
	if len(p.Threads) == 0 {
		return "no threads"
	}
	s := plural(p.NumThreads(), "thread") + ", " + plural(p.Frames, "frame")
	if n := len(p.Threads); n < p.NumThreads() {
		s += fmt.Sprintf(" (threads that are alike are shown once: %s)", plural(n, "stack"))
	}
	return s
}

func stopped(p *profile.Profile) string {
	if p.Stopped == 0 {
		return "" // a core, or captured without a stop
	}
	s := "for " + duration(p.Stopped)
	if p.Sampled() {
		s += fmt.Sprintf(" (%s of the time)", share(float64(p.Stopped), float64(p.Duration())))
	}
	if p.Stops > 1 {
		s += fmt.Sprintf(" in %s stops, the longest %s", count(p.Stops), duration(p.LongestStop))
	}
	return s
}

// cost is what the sampling itself took.
func cost(p *profile.Profile) string {
	if p.OwnCPU == 0 || !p.Sampled() {
		return ""
	}
	return fmt.Sprintf("%s of a CPU used by the capture", share(float64(p.OwnCPU), float64(p.Duration())))
}

// unstopped counts the samples that were read while the target ran.
func unstopped(p *profile.Profile) (n int) {
	for _, t := range p.Threads {
		n += t.Unstopped * t.Weight()
	}
	return n
}

func (p *printer) notes() {
	pr := p.profile
	if pr.Target.Translated {
		p.warn("this x86_64 program runs under Rosetta: the system shows its translated arm64 state, so stacks may be wrong or empty")
	}
	if pr.MissedThreads > 0 {
		p.warn(plural(pr.MissedThreads, "thread") + " appeared too fast to be captured")
	}
	if n := unstopped(pr); n > 0 {
		p.warn(plural(n, "stack") + " read without a stop: frames may be missing, or be of different moments")
	}
	if note := haltedNote(pr); note != "" {
		p.warn(note)
	}
	for i, n := range pr.Notes {
		if i == maxNotes {
			p.fact("Note", plural(len(pr.Notes)-i, "further note"))
			break
		}
		p.fact("Note", clean(n, maxPath))
	}
}

func (p *printer) warn(text string) { p.fact("Warning", p.cut(text)) }

// base returns the last element of a path from the target.
func base(file string) string {
	if file == "" {
		return ""
	}
	return clean(path.Base(file), maxText)
}
