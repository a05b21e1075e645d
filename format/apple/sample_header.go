package apple

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// sampleVersion is the version of sample(1)'s reports that is written.
const sampleVersion = 7

// header writes the facts about the process.
func (s *sampleWriter) header() {
	p, t := s.profile, &s.profile.Target
	s.Line("%s%s (pid %d) %s", analysisOf, notation.Process(t.Name), t.PID, pace(p))
	s.Fact("Process", fmt.Sprintf("%s [%d]", notation.Process(t.Name), t.PID))
	s.Fact("Path", notation.Plain(t.Path))
	if p.Main != nil && p.Main.Placed() {
		s.Fact("Load Address", p.Main.Load.String())
	}
	s.Fact("Identifier", notation.Identifier(p))
	s.Fact("Version", notation.Version(p.Main))
	s.Fact("Code Type", codeType(p))
	s.Fact("Platform", platform(t))
	s.Fact("Parent Process", notation.ProcessWithPID(t.ParentName, t.ParentPID))
	if t.Live {
		s.Fact("Target Type", liveTask)
	}
	s.Line("")
	s.Fact("Date/Time", notation.Moment(p.Start, notation.Milliseconds))
	s.Fact("Launch Time", notation.Moment(t.Start, notation.Milliseconds))
	s.Fact("OS Version", notation.Plain(t.OSVersion))
	s.Fact("Report Version", strconv.Itoa(sampleVersion))
	s.Fact("Analysis Tool", notation.Plain(p.Tool))
	s.Line("")
	s.memory(t.Footprint)
	s.notes()
	s.Line("----")
	s.Line("")
}

// sampleColumn is the column of the values in the header.
const sampleColumn = 17

// memory writes the physical footprint.
func (s *sampleWriter) memory(f task.Footprint) {
	if f.Now > 0 {
		s.Line("%-27s %s", footprint+":", byteSize(f.Now))
	}
	if f.Peak > 0 {
		s.Line("%-27s %s", peakFootprint+":", byteSize(f.Peak))
	}
}

// notes writes the warnings. Apple's reports have no such lines; they are where their
// readers ignore unknown lines.
func (s *sampleWriter) notes() {
	for _, note := range notation.Doubts(s.profile) {
		s.Fact("Note", note)
	}
}

const (
	analysisOf    = "Analysis of sampling "
	liveTask      = "live task"
	footprint     = "Physical footprint"
	peakFootprint = "Physical footprint (peak)"
)

// pace returns the sampling interval. sample writes whole milliseconds only.
func pace(p *profile.Profile) string {
	if !p.Sampled() && p.Interval == 0 {
		return "once"
	}
	n, unit := float64(p.Interval)/float64(time.Millisecond), "milliseconds"
	if n < 1 {
		n, unit = n*1000, "microseconds"
	}
	if n == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return "every " + strconv.FormatFloat(n, 'g', -1, 64) + " " + unit
}

const (
	translatedCode = "X86-64 (translated)"
	authenticated  = "ARM64E"
)

func codeType(p *profile.Profile) string {
	switch {
	case p.Target.Translated:
		return translatedCode
	case p.Main != nil && p.Main.Variant == "arm64e":
		return authenticated
	}
	return notation.CodeTypes[p.Target.Arch]
}

func platform(t *task.Info) string {
	switch {
	case t.OS == task.Linux:
		return "Linux"
	case strings.HasPrefix(t.OSVersion, "macOS "):
		return "macOS"
	}
	return ""
}

// byteSize writes a size as sample does: 977K, 17.6M, 7.3G.
func byteSize(n uint64) string {
	const kilo, mega, giga = 1 << 10, 1 << 20, 1 << 30
	switch {
	case n < 10*mega:
		return strconv.FormatUint(n/kilo, 10) + "K"
	case n < giga:
		return fmt.Sprintf("%.1fM", float64(n)/mega)
	}
	return fmt.Sprintf("%.1fG", float64(n)/giga)
}
