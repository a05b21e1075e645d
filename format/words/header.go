package words

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
	"stacksnap/task"
)

// MaxNotes is how many notes a report prints at most: there may be one for each of a thousand
// images that cannot be read.
const MaxNotes = 40

// Target writes the facts about the process whose stacks these are.
func (p *Printer) Target() {
	p.Process()
	p.about()
}

// Process names the process.
func (p *Printer) Process() {
	p.Fact("Process", ProcessName(p.Profile.Target.Name, p.Profile.Target.PID))
}

// about writes the other known facts about the process.
func (p *Printer) about() {
	t := &p.Profile.Target
	p.Fact("Path", Word(t.Path, MaxPath))
	if p.Profile.Main != nil && (p.Places || p.facts != nil) { // the tree has no addresses, so the header has none
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

// sharedCache describes the mapped shared cache of dyld and its address, as spindump does.
func sharedCache(p *profile.Profile) string {
	c := p.Cache
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s slid base address %v, slide %#x", ImageID(task.Darwin, c.UUID[:]), c.Base, c.Slide)
}

// crashName returns the key of the header's line on a crash. A process that exceeded a
// limit may not have ended.
func crashName(c *task.Crash) string {
	if c != nil && c.Signal == "EXC_RESOURCE" {
		return "Over a limit"
	}
	return "Crashed"
}

// crashed describes what ended the process, and in which thread.
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
	if pid == 0 { // a core without a pid
		return Word(name, MaxText)
	}
	return fmt.Sprintf("%s [%d]", Word(name, MaxText), pid)
}

// bundle writes the identifier and version of a Mac program's bundle.
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

// codeTypes are the names of architectures in Apple's reports.
var codeTypes = map[task.Arch]string{task.AMD64: "X86-64", task.I386: "X86", task.ARM64: "ARM-64", task.ARM: "ARM"}

// CodeTypeName returns the architecture of a Mac program, and whether it is translated.
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

// Capture writes when and how the stacks were captured.
func (p *Printer) Capture() {
	p.times()
	p.Extent()
	p.costs()
}

func (p *Printer) times() {
	pr := p.Profile
	p.Fact("Date/Time", Moment(pr.Start))
	if pr.Sampled() {
		p.Fact("End Time", Moment(pr.End))
	}
	p.Fact("Launch Time", Moment(pr.Target.Start))
}

// Extent writes how much was captured.
func (p *Printer) Extent() {
	pr := p.Profile
	if pr.Sampled() {
		p.Fact("Duration", length(pr)+Plural(pr.Snapshots, "snapshot")+pace(pr))
	}
	p.Fact("Captured", captured(pr))
}

func (p *Printer) costs() {
	p.Fact("Stopped", stopped(p.Profile))
	p.Fact("Cost", cost(p.Profile))
	p.Fact("Tool", Clean(p.Profile.Tool, MaxText))
}

// Circumstances writes the facts of [Printer.Target] and [Printer.Capture] that are not in
// [Printer.Process] and [Printer.Extent].
func (p *Printer) Circumstances() {
	p.about()
	p.times()
	p.costs()
}

// CircumstancesInBrief writes a few of the facts of [Printer.Circumstances], and how to see the others.
func (p *Printer) CircumstancesInBrief() {
	t := &p.Profile.Target
	p.Fact(crashName(t.Crash), crashed(t.Crash))
	p.Fact("Command Line", CommandLine(t.Command))
	p.Fact("Date/Time", Moment(p.Profile.Start))
	p.costs()
	p.Fact("More", "--header adds the facts on process and machine")
}

func Moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(timeLayout)
}

// length returns the duration of the capture; empty if unknown.
func length(p *profile.Profile) string {
	if p.End.IsZero() {
		return ""
	}
	return Duration(p.Duration()) + ", "
}

// pace returns the interval of the snapshots, and the number of those missed.
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
		s += fmt.Sprintf(" (alike ones are shown once: %s)", Plural(len(p.Threads), "stack"))
	}
	return s + age(whole)
}

// age returns a phrase with the time from the launch of the process to a single snapshot, beside
// which the CPU times of its threads can be judged; empty if that is unknown.
func age(p *profile.Profile) string {
	if p.Sampled() || p.Start.IsZero() || p.Target.Start.IsZero() || !p.Start.After(p.Target.Start) {
		return ""
	}
	d := p.Start.Sub(p.Target.Start)
	if d < time.Minute {
		return "; the process was " + Duration(d) + " old"
	}
	return "; the process was " + d.Round(time.Second).String() + " old"
}

func stopped(p *profile.Profile) string {
	if p.Stopped == 0 {
		return "" // a core, or a capture without stops
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

// leastShared is the shortest capture whose cost is a share of a CPU: most of a shorter one
// is the start of this program.
const leastShared = time.Second

// cost returns the CPU time that the capture itself took.
func cost(p *profile.Profile) string {
	if p.OwnCPU == 0 || !p.Sampled() {
		return ""
	}
	if p.Duration() < leastShared {
		return Duration(p.OwnCPU) + " of CPU time used by the capture"
	}
	return fmt.Sprintf("%s of a CPU used by the capture", Share(float64(p.OwnCPU), float64(p.Duration())))
}

// Unstopped returns the number of samples that were read while the target ran.
func Unstopped(p *profile.Profile) (n int) {
	for _, t := range p.Original().Threads {
		n += t.Unstopped * t.Weight()
	}
	return n
}

// TranslatedNote describes what is missing for a program that Rosetta translates, and other
// ways to get it.
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

// Notes writes the warnings and remarks.
func (p *Printer) Notes() {
	p.Warnings()
	p.Remarks()
}

// Warnings writes why stacks may be wrong or missing.
func (p *Printer) Warnings() {
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
}

// Remarks writes notes on what could not be read, and similar ones.
func (p *Printer) Remarks() {
	notes := Notes(p.Profile)
	for i, n := range notes {
		if i == MaxNotes {
			p.Fact("Note", Plural(len(notes)-i, "further note"))
			break
		}
		p.Fact("Note", Clean(n, MaxPath))
	}
}

// noLines follows the image's name in notes on images whose source lines are missing.
const noLines = ": no lines of code from "

// Notes returns the notes of a profile that its reader can act on. Of the notes on missing
// source lines, it keeps the first for each image in which a frame of own code lacks its line.
func Notes(p *profile.Profile) (notes []string) {
	var lacking map[string]bool
	for _, n := range p.Notes {
		image, _, ok := strings.Cut(n, noLines)
		if !ok {
			notes = append(notes, n)
			continue
		}
		if lacking == nil {
			lacking = withoutLines(p.Original())
		}
		if lacking[image] {
			delete(lacking, image)
			notes = append(notes, n)
		}
	}
	return notes
}

// withoutLines returns the names of the images in which a named frame of own code has no line.
func withoutLines(p *profile.Profile) map[string]bool {
	images := map[string]bool{}
	for _, t := range p.Threads {
		for _, n := range t.Nodes() {
			if n.Image != nil && n.Function != "" && n.File == "" && owncode.Is(&n.Location) {
				images[path.Base(n.Image.Path)] = true
			}
		}
	}
	return images
}

func (p *Printer) warn(text string) { p.Fact("Warning", p.Cut(text)) }

// base returns the last element of a path from the target.
func base(file string) string {
	if file == "" {
		return ""
	}
	return Clean(path.Base(file), MaxText)
}
