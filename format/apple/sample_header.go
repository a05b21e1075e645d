package apple

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// timeLayout is that of Apple's reports.
const timeLayout = "2006-01-02 15:04:05.000 -0700"

// sampleVersion is the version of the reports of sample(1).
const sampleVersion = 7

// header writes whose stacks these are.
func (s *sampleWriter) header() {
	p, t := s.profile, &s.profile.Target
	s.line("%s%s (pid %d) %s", analysisOf, process(t.Name), t.PID, pace(p))
	s.fact("Process", fmt.Sprintf("%s [%d]", process(t.Name), t.PID))
	s.fact("Path", plain(t.Path))
	if p.Main != nil && p.Main.Placed() {
		s.fact("Load Address", p.Main.Load.String())
	}
	s.fact("Identifier", identifier(p))
	s.fact("Version", version(p.Main))
	s.fact("Code Type", codeType(p))
	s.fact("Platform", platform(t))
	s.fact("Parent Process", processWithPID(t.ParentName, t.ParentPID))
	if t.Live {
		s.fact("Target Type", liveTask)
	}
	s.line("")
	s.fact("Date/Time", moment(p.Start))
	s.fact("Launch Time", moment(t.Start))
	s.fact("OS Version", plain(t.OSVersion))
	s.fact("Report Version", strconv.Itoa(sampleVersion))
	s.fact("Analysis Tool", plain(p.Tool))
	s.line("")
	s.memory(t.Footprint)
	s.notes()
	s.line("----")
	s.line("")
}

// fact writes a line of the header.
func (s *sampleWriter) fact(key, value string) { s.textWriter.fact(sampleColumn, key, value) }

// sampleColumn is where the values of the header begin.
const sampleColumn = 17

// memory writes what sample calls the footprint.
func (s *sampleWriter) memory(f task.Footprint) {
	if f.Now > 0 {
		s.line("%-27s %s", footprint+":", byteSize(f.Now))
	}
	if f.Peak > 0 {
		s.line("%-27s %s", peakFootprint+":", byteSize(f.Peak))
	}
}

// maxNotes bounds the notes printed.
const maxNotes = 40

// notes write what a reader should beware of. Apple's reports have no such lines; they
// stand where readers of these expect none.
func (s *sampleWriter) notes() {
	for _, note := range doubts(s.profile) {
		s.fact("Note", note)
	}
}

const (
	analysisOf    = "Analysis of sampling "
	liveTask      = "live task"
	footprint     = "Physical footprint"
	peakFootprint = "Physical footprint (peak)"
)

func process(name string) string {
	if name == "" {
		return unknownSymbol
	}
	return plain(name)
}

// pace is how often samples were to be taken; sample has whole milliseconds alone.
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

func identifier(p *profile.Profile) string {
	if p.Main != nil && p.Main.Bundle.ID != "" {
		return plain(p.Main.Bundle.ID)
	}
	return process(p.Target.Name)
}

// version is what a program's maker calls its version.
func version(im *profile.Image) string {
	switch {
	case im == nil || im.Bundle.Version == "" && im.Bundle.Build == "":
		return unknownSymbol
	case im.Bundle.Build == "":
		return plain(im.Bundle.Version)
	case im.Bundle.Version == "":
		return plain(im.Bundle.Build)
	}
	return plain(im.Bundle.Version) + " (" + plain(im.Bundle.Build) + ")"
}

// codeTypes is what sample calls architectures.
var codeTypes = map[task.Arch]string{task.AMD64: "X86-64", task.ARM64: "ARM64", task.I386: "X86", task.ARM: "ARM"}

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
	return codeTypes[p.Target.Arch]
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

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(timeLayout)
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
