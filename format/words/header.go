package words

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// MaxNotes bounds the notes printed: a thousand images may all be unreadable.
const MaxNotes = 40

func (p *Printer) Target() {
	t := &p.Profile.Target
	p.Fact("Process", ProcessName(t.Name, t.PID))
	p.Fact("Path", Word(t.Path, MaxPath))
	if p.Profile.Main != nil {
		p.Fact("Load Address", p.Profile.Main.Load.String())
	}
	p.bundle()
	if t.OS == task.Darwin {
		p.Fact("Code Type", CodeTypeName(p.Profile))
	} else {
		p.Fact("Architecture", t.Arch.String())
	}
	if t.ParentPID != 0 {
		p.Fact("Parent Process", ProcessName(t.ParentName, t.ParentPID))
	}
	p.Fact(crashName(t.Crash), crashed(t.Crash))
	p.Fact("Command Line", CommandLine(t.Command))
	p.Fact("Working Folder", Word(t.Folder, MaxPath))
	p.Fact("User", OwnerName(t.User))
	p.Fact(containerName(t.Group), container(t.Group))
	p.Fact("OS Version", Word(t.OSVersion, MaxText))
	p.Fact("Shared Cache", sharedCache(p.Profile))
	p.Fact("Hardware", hardware(&t.Machine))
	p.Fact(footprintName(t.OS), footprint(t.Footprint))
}

// sharedCache tells which of dyld's caches of libraries is mapped, and where, as
// spindump does.
func sharedCache(p *profile.Profile) string {
	c := p.Cache
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s slid base address %v, slide %#x", ImageID(task.Darwin, c.UUID[:]), c.Base, c.Slide)
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
		return Word(c.String(), MaxText)
	}
	return fmt.Sprintf("%s in thread %d", Word(c.String(), MaxText), c.Thread)
}

func ProcessName(name string, pid int) string {
	if name == "" {
		name = "???"
	}
	if pid == 0 { // a core that does not tell
		return Word(name, MaxText)
	}
	return fmt.Sprintf("%s [%d]", Word(name, MaxText), pid)
}

// bundle writes what a Mac program's maker calls it.
func (p *Printer) bundle() {
	if p.Profile.Main == nil {
		return
	}
	b := &p.Profile.Main.Bundle
	p.Fact("Identifier", Word(b.ID, MaxText))
	version := Word(b.Version, MaxText)
	if b.Build != "" && b.Build != b.Version {
		version = strings.TrimSpace(version + " (" + Word(b.Build, MaxText) + ")")
	}
	p.Fact("Version", version)
}

// codeTypes is what Apple's reports call the architectures of programs.
var codeTypes = map[task.Arch]string{task.AMD64: "X86-64", task.I386: "X86", task.ARM64: "ARM-64", task.ARM: "ARM"}

// CodeTypeName tells the architecture of a Mac program, and whether it is another's
// than the machine's.
func CodeTypeName(p *profile.Profile) string {
	s := codeTypes[p.Target.Arch]
	switch {
	case p.Target.Translated:
		s += " (translated)"
	case p.Main != nil && p.Main.Variant == "arm64e":
		s = "ARM-64E"
	}
	return s
}

func (p *Printer) Capture() {
	pr := p.Profile
	p.Fact("Date/Time", Moment(pr.Start))
	if pr.Sampled() {
		p.Fact("End Time", Moment(pr.End))
	}
	p.Fact("Launch Time", Moment(pr.Target.Start))
	if pr.Sampled() {
		p.Fact("Duration", length(pr)+Plural(pr.Snapshots, "snapshot")+pace(pr))
	}
	p.Fact("Captured", captured(pr))
	p.Fact("Stopped", stopped(pr))
	p.Fact("Cost", cost(pr))
	p.Fact("Tool", Clean(pr.Tool, MaxText))
}

func Moment(t time.Time) string {
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
	return Duration(p.Duration()) + ", "
}

// pace is how often snapshots were to be taken, and how often that failed.
func pace(p *profile.Profile) string {
	s := ""
	if p.Interval > 0 {
		s = " every " + Duration(p.Interval)
	}
	if p.MissedTicks > 0 {
		s += ", " + Count(p.MissedTicks) + " missed"
	}
	return s
}

func captured(p *profile.Profile) string {
	whole := p.Original()
	if len(whole.Threads) == 0 {
		return "no threads"
	}
	s := Plural(whole.NumThreads(), "thread") + ", " + Plural(p.Frames, "frame")
	if slices.ContainsFunc(p.Threads, func(t *profile.Thread) bool { return t.Weight() > 1 }) {
		s += fmt.Sprintf(" (threads that are alike are shown once: %s)", Plural(len(p.Threads), "stack"))
	}
	return s
}

func stopped(p *profile.Profile) string {
	if p.Stopped == 0 {
		return "" // a core, or captured without a stop
	}
	s := "for " + Duration(p.Stopped)
	if p.Sampled() {
		s += fmt.Sprintf(" (%s of the time)", Share(float64(p.Stopped), float64(p.Duration())))
	}
	if p.Stops > 1 {
		s += fmt.Sprintf(" in %s stops, the longest %s", Count(p.Stops), Duration(p.LongestStop))
	}
	return s
}

// cost is what the sampling itself took.
func cost(p *profile.Profile) string {
	if p.OwnCPU == 0 || !p.Sampled() {
		return ""
	}
	return fmt.Sprintf("%s of a CPU used by the capture", Share(float64(p.OwnCPU), float64(p.Duration())))
}

// Unstopped counts the samples that were read while the target ran.
func Unstopped(p *profile.Profile) (n int) {
	for _, t := range p.Original().Threads {
		n += t.Unstopped * t.Weight()
	}
	return n
}

// TranslatedNote says what is missing of a program that Rosetta translates, and
// how else to get it.
func TranslatedNote(pr *profile.Profile) string {
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

func (p *Printer) Notes() {
	pr := p.Profile
	if pr.Target.Translated {
		p.warn(TranslatedNote(pr))
	}
	if pr.MissedThreads > 0 {
		p.warn(Plural(pr.MissedThreads, "thread") + " appeared too fast to be captured")
	}
	if n := Unstopped(pr); n > 0 {
		p.warn(Plural(n, "stack") + " read without a stop: frames may be missing, or be of different moments")
	}
	if note := stoppedNote(pr.Original()); note != "" {
		p.warn(note)
	}
	for i, n := range pr.Notes {
		if i == MaxNotes {
			p.Fact("Note", Plural(len(pr.Notes)-i, "further note"))
			break
		}
		p.Fact("Note", Clean(n, MaxPath))
	}
}

func (p *Printer) warn(text string) { p.Fact("Warning", p.Cut(text)) }

// base returns the last element of a path from the target.
func base(file string) string {
	if file == "" {
		return ""
	}
	return Clean(path.Base(file), MaxText)
}
