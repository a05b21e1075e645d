package apple

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// The version of spindump's report that is written, and the column of the values in
// the header.
const (
	spinReportVersion = "35.1"
	spinColumn        = 18
)

// spinOrder is the order of a report's stacks, and the lines about the order. rule
// has the length that spindump uses, by which readers recognise the report.
type spinOrder struct {
	rule   string
	lines  [2]string
	stacks func(*spinWriter, *profile.Profile, *profile.Thread)
}

// Spindump writes a report like spindump in its heavy form, version 35.1: stacks
// sorted by counts. It omits what the report has no line for, except for warnings,
// which are in notes. For a function that was innermost at several addresses, it has
// the first one.
func Spindump(w io.Writer, r *report.Report, _ words.Options) error {
	return writeSpindump(w, &r.Group, &spinOrder{
		rule: strings.Repeat("-", 60), stacks: (*spinWriter).heavy,
		lines: [2]string{"Heavy format: stacks are sorted by count", "There is no timeline format: this report has no times"},
	})
}

func writeSpindump(w io.Writer, g *profile.Group, order *spinOrder) error {
	s := &spinWriter{notation.NewWriter(w, spinColumn), order}
	if len(g.Profiles) > 0 {
		s.header(g.Profiles)
	}
	for _, m := range g.Missing {
		s.Fact("Note", notation.Plain(fmt.Sprintf("nothing of process %d: %s", m.PID, m.Why)))
	}
	if g.More > 0 {
		s.Fact("Note", fmt.Sprintf("processes that were too many: %d", g.More))
	}
	s.Line("")
	for _, text := range []string{order.rule, order.lines[0], order.lines[1], order.rule, ""} {
		s.Line("%s", text)
	}
	if len(g.Profiles) == 1 {
		s.heaviest(g.Profiles[0])
	}
	for _, p := range g.Profiles {
		s.process(p)
	}
	return s.Flush()
}

// spinWriter writes one report.
type spinWriter struct {
	notation.Writer
	order *spinOrder
}

// header writes the facts that all processes share. If there is only one process, it
// also writes that one's facts.
func (s *spinWriter) header(all []*profile.Profile) {
	if s.oldHeader(all) {
		return
	}
	p := all[0]
	t := &p.Target
	start, end := span(all)
	s.Fact("Date/Time", notation.Moment(start, notation.Milliseconds))
	s.Fact("End time", notation.Moment(end, notation.Milliseconds))
	s.Fact("OS Version", notation.Plain(spinOS(t)))
	s.Fact("Report Version", spinReportVersion)
	s.Line("")
	s.Fact("Data Source", notation.Plain(p.Tool))
	s.Line("")
	if len(all) == 1 {
		s.Fact("Command", notation.Process(t.Name))
		s.program(p)
		s.Fact("PID", strconv.Itoa(t.PID))
		s.Fact("Time Since Fork", spinAge(p))
		s.Line("")
	}
	if d := since(start, end); d >= leastDuration {
		s.Fact("Duration", fmt.Sprintf("%.2fs", d.Seconds()))
	}
	s.Fact("Steps", steps(all))
	s.Line("")
	s.Fact("Hardware model", notation.Plain(t.Machine.Model))
	s.Fact("Active cpus", positive(t.Machine.Active))
	s.Fact("Memory size", spinSize(t.Machine.Memory))
	s.Fact("VM page size", positive(t.PageSize))
}

// program writes the facts about the program of a process.
func (s *spinWriter) program(p *profile.Profile) {
	t := &p.Target
	s.Fact("Path", notation.Plain(t.Path))
	if p.Main != nil && p.Main.Bundle.ID != "" {
		s.Fact("Identifier", notation.Plain(p.Main.Bundle.ID))
		s.Fact("Version", notation.Version(p.Main))
	}
	if c := p.Cache; c != nil {
		s.Fact("Shared Cache", fmt.Sprintf("%s slid base address %v, slide 0x%x", notation.ImageID(task.Darwin, c.UUID[:]), c.Base, c.Slide))
	}
	s.Fact("Architecture", spinArch(p))
	s.Fact("Parent", notation.ProcessWithPID(t.ParentName, t.ParentPID))
}

// leastDuration is the smallest duration that two decimals can show.
const leastDuration = 10 * time.Millisecond

// span returns the earliest start and the latest end, as far as they are known.
func span(all []*profile.Profile) (start, end time.Time) {
	for _, p := range all {
		if start.IsZero() || !p.Start.IsZero() && p.Start.Before(start) {
			start = p.Start
		}
		if p.End.After(end) {
			end = p.End
		}
	}
	return start, end
}

// since returns the time between two times, 0 if one of them is unknown.
func since(from, to time.Time) time.Duration {
	if from.IsZero() || to.IsZero() {
		return 0
	}
	return max(0, to.Sub(from))
}

// steps returns the number of samples and the interval between them.
func steps(all []*profile.Profile) string {
	most := slices.MaxFunc(all, func(a, b *profile.Profile) int { return cmp.Compare(a.Snapshots, b.Snapshots) })
	s := strconv.Itoa(most.Snapshots)
	if most.Sampled() && most.Interval > 0 {
		s += fmt.Sprintf(" (%v sampling interval)", most.Interval)
	}
	return s
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// spinOS returns the version of a Mac's system in spindump's form: "macOS 14.5 (Build
// 23F79)".
func spinOS(t *task.Info) string {
	name, build, found := notation.CutLast(t.OSVersion, " (")
	if t.OS != task.Darwin || !found {
		return t.OSVersion
	}
	return name + " (Build " + build
}

// spinArch returns the architecture as Apple's tools name it.
func spinArch(p *profile.Profile) string {
	variant := ""
	if p.Main != nil {
		variant = p.Main.Variant
	}
	return notation.ArchName(variant, p.Target.Arch)
}

// spinAge returns the age of the process, in whole seconds.
func spinAge(p *profile.Profile) string {
	if d := since(p.Target.Start, p.Start); d > 0 {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return ""
}

// process writes the part of the report about one process.
func (s *spinWriter) process(p *profile.Profile) {
	s.Line("")
	if !s.oldFacts(p) {
		s.facts(p)
	}
	for _, note := range newNotes(p) {
		s.Fact("Note", note)
	}
	if hasMerged(p) {
		s.Fact("Note", mergedNote)
	}
	s.Line("")
	for _, thread := range spinThreads(p) {
		for _, line := range s.threadLines(p, thread) {
			s.Line("%s", notation.Printable(line))
		}
		s.order.stacks(s, p, thread)
		s.Line("")
	}
	s.images(p)
}

// facts writes the facts about a process.
func (s *spinWriter) facts(p *profile.Profile) {
	t := &p.Target
	s.Fact("Process", fmt.Sprintf("%s [%d]", notation.Process(t.Name), t.PID))
	if p.Main != nil && len(p.Main.ID) > 0 {
		s.Fact("UUID", notation.ImageID(t.OS, p.Main.ID))
	}
	s.program(p)
	if t.User != nil {
		s.Fact("UID", strconv.FormatUint(uint64(t.User.ID), 10))
	}
	s.Fact("Footprint", spinSize(t.Footprint.Now))
	s.Fact("Time Since Fork", spinAge(p))
	s.Fact("Num samples", spinSamples(p.Snapshots, 0, p.Snapshots-1))
	s.Fact("CPU Time", spinUsed(p))
}

// mergedNote is the note in reports with functions at several addresses.
const mergedNote = "where a function was innermost at several addresses, one of them is told"

func hasMerged(p *profile.Profile) bool {
	if slices.Contains(p.Notes, mergedNote) {
		return false
	}
	for _, t := range p.Threads {
		for _, n := range t.Nodes() {
			if len(n.Also) > 0 || n.More {
				return true
			}
		}
	}
	return false
}

// spinUsed returns the CPU time of all threads between the first sample and the last.
func spinUsed(p *profile.Profile) string {
	var used time.Duration
	for _, t := range p.Threads {
		used += t.Used
	}
	if !p.Sampled() || used < time.Millisecond {
		return ""
	}
	return fmt.Sprintf("%.3fs", used.Seconds())
}

// spinSamples formats a number of samples, and their range if none is missing in it:
// "49 (1-49)". first and last count from 0.
func spinSamples(n, first, last int) string {
	if last-first+1 != n || n == 0 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d (%s)", n, spinRange(first, last))
}

// spinRange formats a range of samples, which counts from 0: "1-49".
func spinRange(first, last int) string {
	if first == last {
		return strconv.Itoa(first + 1)
	}
	return fmt.Sprintf("%d-%d", first+1, last+1)
}

// spinThreads returns the threads in the order of a report: the main thread, then by
// id.
func spinThreads(p *profile.Profile) []*profile.Thread {
	return slices.SortedStableFunc(slices.Values(p.Threads), func(a, b *profile.Thread) int {
		switch {
		case a.Main != b.Main && a.Main:
			return -1
		case a.Main != b.Main:
			return 1
		}
		return cmp.Compare(a.ID, b.ID)
	})
}

// threadLine returns the line that describes a thread.
func (s *spinWriter) threadLine(t *profile.Thread) string {
	parts := []string{fmt.Sprintf("%s%x", spinThread, uint64(t.ID))}
	if t.Queue != "" {
		parts = append(parts, fmt.Sprintf(`DispatchQueue "%s"(%d)`, notation.Plain(t.Queue), t.QueueSerial))
	}
	if t.Name != "" {
		parts = append(parts, `Thread name "`+notation.Plain(t.Name)+`"`)
	}
	number, samples, _ := strings.Cut(spinSamples(t.Samples, t.First, t.Last), " ")
	unit := " samples "
	if t.Samples == 1 {
		unit = " sample "
	}
	parts = append(parts, strings.TrimRight(number+unit+samples, " "))
	switch {
	case t.Priority.Base > 0:
		parts = append(parts, fmt.Sprintf("priority %d (base %d)", t.Priority.Now, t.Priority.Base))
	case t.Priority.Now > 0:
		parts = append(parts, fmt.Sprintf("priority %d", t.Priority.Now))
	}
	if t.Used >= time.Millisecond {
		parts = append(parts, fmt.Sprintf("cpu time %.3fs", t.Used.Seconds()))
	}
	return strings.Join(parts, "    ")
}
