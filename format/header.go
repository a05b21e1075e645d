package format

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// maxNotes bounds the notes printed: a thousand images may all be unreadable.
const maxNotes = 40

// header writes whose stacks these are, and how and when they were captured.
func (p *printer) header() {
	p.answer()
	p.target()
	p.line("")
	p.capture()
	p.view()
	p.notes()
	p.deadlocks()
}

func (p *printer) target() {
	t := &p.profile.Target
	p.fact("Process", process(t.Name, t.PID))
	p.fact("Path", word(t.Path, maxPath))
	if p.profile.Main != nil {
		p.fact("Load Address", p.profile.Main.Load.String())
	}
	p.bundle()
	if t.OS == task.Darwin {
		p.fact("Code Type", codeType(p.profile))
	} else {
		p.fact("Architecture", t.Arch.String())
	}
	if t.ParentPID != 0 {
		p.fact("Parent Process", process(t.ParentName, t.ParentPID))
	}
	p.fact(crashName(t.Crash), crashed(t.Crash))
	p.fact("Command Line", CommandLine(t.Command))
	p.fact("Working Folder", word(t.Folder, maxPath))
	p.fact("User", owner(t.User))
	p.fact(containerName(t.Group), container(t.Group))
	p.fact("OS Version", word(t.OSVersion, maxText))
	p.fact("Shared Cache", sharedCache(p.profile))
	p.fact("Hardware", hardware(&t.Machine))
	p.fact(footprintName(t.OS), footprint(t.Footprint))
}

// sharedCache tells which of dyld's caches of libraries is mapped, and where, as
// spindump does.
func sharedCache(p *profile.Profile) string {
	c := p.Cache
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s slid base address %v, slide %#x", imageID(task.Darwin, c.UUID[:]), c.Base, c.Slide)
}

// crashName is what became of a process: one that took more of something than it may, as Mach
// tells of it, need not have ended.
func crashName(c *task.Crash) string {
	if c != nil && c.Signal == "EXC_RESOURCE" {
		return "Over a limit"
	}
	return "Crashed"
}

// crashed is what ended the process, and in which thread.
func crashed(c *task.Crash) string {
	switch {
	case c == nil:
		return ""
	case c.Thread == 0:
		return word(c.String(), maxText)
	}
	return fmt.Sprintf("%s in thread %d", word(c.String(), maxText), c.Thread)
}

func process(name string, pid int) string {
	if name == "" {
		name = "???"
	}
	if pid == 0 { // a core that does not tell
		return word(name, maxText)
	}
	return fmt.Sprintf("%s [%d]", word(name, maxText), pid)
}

// bundle writes what a Mac program's maker calls it.
func (p *printer) bundle() {
	if p.profile.Main == nil {
		return
	}
	b := &p.profile.Main.Bundle
	p.fact("Identifier", word(b.ID, maxText))
	version := word(b.Version, maxText)
	if b.Build != "" && b.Build != b.Version {
		version = strings.TrimSpace(version + " (" + word(b.Build, maxText) + ")")
	}
	p.fact("Version", version)
}

// codeTypes is what Apple's reports call the architectures of programs.
var codeTypes = map[task.Arch]string{task.AMD64: "X86-64", task.I386: "X86", task.ARM64: "ARM-64", task.ARM: "ARM"}

// codeType tells the architecture of a Mac program, and whether it is another's
// than the machine's.
func codeType(p *profile.Profile) string {
	s := codeTypes[p.Target.Arch]
	switch {
	case p.Target.Translated:
		s += " (translated)"
	case p.Main != nil && p.Main.Variant == "arm64e":
		s = "ARM-64E"
	}
	return s
}

func (p *printer) capture() {
	pr := p.profile
	p.fact("Date/Time", moment(pr.Start))
	if pr.Sampled() {
		p.fact("End Time", moment(pr.End))
	}
	p.fact("Launch Time", moment(pr.Target.Start))
	if pr.Sampled() {
		p.fact("Duration", length(pr)+plural(pr.Snapshots, "snapshot")+pace(pr))
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

// length is how long it took, where that is known.
func length(p *profile.Profile) string {
	if p.End.IsZero() {
		return ""
	}
	return duration(p.Duration()) + ", "
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
	whole := p.Original()
	if len(whole.Threads) == 0 {
		return "no threads"
	}
	s := plural(whole.NumThreads(), "thread") + ", " + plural(p.Frames, "frame")
	if slices.ContainsFunc(p.Threads, func(t *profile.Thread) bool { return t.Weight() > 1 }) {
		s += fmt.Sprintf(" (threads that are alike are shown once: %s)", plural(len(p.Threads), "stack"))
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
	for _, t := range p.Original().Threads {
		n += t.Unstopped * t.Weight()
	}
	return n
}

// translatedNote says what is missing of a program that Rosetta translates, and
// how else to get it.
func translatedNote(pr *profile.Profile) string {
	const rosetta = "this x86_64 program is translated by Rosetta"
	if pr.Frames > 0 {
		return rosetta + ": the system shows its translated arm64 state, so stacks may be wrong or empty"
	}
	by := "Apple's sample"
	if pr.Target.PID > 0 {
		by += fmt.Sprintf(" (sample %d)", pr.Target.PID)
	}
	return rosetta + ": no stacks, for the system tells the registers of the arm64 translation alone, and where Rosetta keeps the program's own is not public. Threads, states, times and images are right. For stacks use " + by + ", or run the program's arm64 build"
}

func (p *printer) notes() {
	pr := p.profile
	if pr.Target.Translated {
		p.warn(translatedNote(pr))
	}
	if pr.MissedThreads > 0 {
		p.warn(plural(pr.MissedThreads, "thread") + " appeared too fast to be captured")
	}
	if n := unstopped(pr); n > 0 {
		p.warn(plural(n, "stack") + " read without a stop: frames may be missing, or be of different moments")
	}
	if note := haltedNote(pr.Original()); note != "" {
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
