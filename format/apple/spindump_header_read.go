package apple

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// read reads a line of the header. It ignores unknown lines.
func (h *spinHeader) read(line string, l *limits) {
	h.rest.read(line)
	key, value, found := strings.Cut(line, ":")
	value, ok := l.texts.of(strings.TrimSpace(value))
	if l.full = l.full || !ok; !found || !ok || value == "" {
		return
	}
	switch key {
	case "Date/Time":
		h.start = notation.ParseMoment(value)
	case "End time":
		h.end = notation.ParseMoment(value)
	case "Duration":
		h.duration = parseSeconds(value)
	case "Steps":
		h.parseSteps(value)
	case "Data Source":
		h.tool = sourceTool(value)
	case "OS Version":
		h.version = strings.Replace(value, " (Build ", " (", 1)
	case "Hardware model":
		h.machine.Model = value
	case "Active cpus":
		h.machine.Active, _ = strconv.Atoi(value) // 0: not known
	case "VM page size":
		h.pageSize, _ = strconv.Atoi(value)
	case "Memory size":
		h.machine.Memory = parseSpinSize(value)
	default:
		h.readTarget(key, value)
	}
}

// readTarget reads a fact about the process that the report is about.
func (h *spinHeader) readTarget(key, value string) {
	switch key {
	case "Architecture":
		if !h.seen {
			h.arch = value
		}
	case "Command":
		h.seen, h.target.Name = true, value
	case "Path":
		h.target.Path = value
	case "Identifier":
		h.main.Bundle.ID = value
	case "Version":
		h.main.Bundle.Version, h.main.Bundle.Build = notation.ParseVersion(value)
	case "Parent":
		h.target.ParentName, h.target.ParentPID = parseSpinProcess(value)
	case "PID":
		h.target.PID, _ = strconv.Atoi(value) // 0: not known
	case "Event", "Reason", "Duration Sampled", "Note":
		if len(h.notes) < notation.MaxNotes {
			h.notes = append(h.notes, key+": "+value)
		}
	}
}

// sourceTool returns the program that took the samples: spindump if the source is a
// facility of the kernel, else the source itself.
func sourceTool(source string) string {
	if strings.Contains(source, "tackshots") || strings.HasPrefix(source, "KPerf") {
		return spindumpTool
	}
	return source
}

// parseSteps parses "49 (100ms sampling interval)".
func (h *spinHeader) parseSteps(s string) {
	number, rest, _ := strings.Cut(s, " ")
	if n, err := strconv.ParseUint(number, 10, 64); err == nil && n <= maxSamples {
		h.steps = int(n)
	}
	interval, _, _ := strings.Cut(strings.TrimPrefix(rest, "("), " ")
	if d, err := time.ParseDuration(interval); err == nil && d > 0 {
		h.interval = d
	}
}

// tell sets the facts about a process that are in the header.
func (h *spinHeader) tell(p *spinProcessReader) {
	of, t := p.profile, &p.profile.Target
	of.Start, of.End, of.Snapshots, of.Tool = h.start, h.end, h.steps, cmp.Or(h.tool, spindumpTool)
	if off := of.End.Sub(of.Start) - h.duration; !of.Start.IsZero() && h.duration > 0 && (of.End.IsZero() || off.Abs() < time.Second) {
		of.End = of.Start.Add(h.duration) // the duration has two decimals
	}
	if h.steps > 1 {
		of.Interval = h.interval
	}
	t.OSVersion, t.Machine, t.PageSize = h.version, h.machine, h.pageSize
	if strings.Contains(h.version, "Linux") { // a report written by this program
		t.OS = task.Linux
	}
	p.architecture(h.arch)
	p.rest.notes = append(p.rest.notes, of.Notes...)
	if t.PID != 0 && t.PID == h.target.PID {
		of.Notes = slices.Concat(h.notes, of.Notes)
		p.rest.notes = append(p.rest.notes, h.notes...)
		h.tellTarget(p)
	}
	p.rest.header = h.rest
	of.Report = p.rest
}

// tellTarget sets the facts about the report's target that are only in the header.
func (h *spinHeader) tellTarget(p *spinProcessReader) {
	t := &p.profile.Target
	t.Path = cmp.Or(t.Path, h.target.Path)
	if t.ParentName == "" && t.ParentPID == 0 {
		t.ParentName, t.ParentPID = h.target.ParentName, h.target.ParentPID
	}
	if p.main.Bundle == (object.Bundle{}) {
		p.main.Bundle = h.main.Bundle
	}
}

// architecture sets the architecture of a process, and whether the process runs
// translated.
func (p *spinProcessReader) architecture(machine string) {
	t := &p.profile.Target
	name, _, _ := strings.Cut(p.arch, " ")
	if name == "" {
		name = machine
	}
	t.Arch = notation.Archs[name]
	t.Translated = t.Arch == task.AMD64 && notation.Archs[machine] == task.ARM64
	if p.arch != "" && name != t.Arch.String() {
		p.main.Variant = name
	}
}

// parseSeconds parses "7.23s". It returns 0 for "<0.001s".
func parseSeconds(s string) time.Duration {
	number, _, found := strings.Cut(s, "s")
	n, err := strconv.ParseFloat(number, 64)
	if n *= float64(time.Second); !found || err != nil || !(n > 0 && n < math.MaxInt64) {
		return 0
	}
	return time.Duration(n).Round(time.Microsecond)
}

// parseSpinSize parses the first size in a text: "3800 KB", "60.25 GB -> 61 GB (+0.75
// GB)".
func parseSpinSize(s string) uint64 {
	words := strings.Fields(s)
	if len(words) < 2 {
		return 0
	}
	n, err := strconv.ParseFloat(words[0], 64)
	shift, known := map[string]int{"bytes": 0, "KB": 10, "MB": 20, "GB": 30, "TB": 40}[words[1]]
	if n *= float64(uint64(1) << shift); err != nil || !known || !(n >= 0 && n < 1<<62) {
		return 0
	}
	return uint64(n)
}

// parseSpinCache parses "UUID slid base address 0x…, slide 0x…". It returns nil for
// any other form.
func parseSpinCache(s string) *images.SharedCache {
	uuid, rest, found := strings.Cut(s, " slid base address ")
	base, rest, hasSlide := strings.Cut(rest, ", slide ")
	slide, _, _ := strings.Cut(rest, " ")
	id := notation.ParseID(uuid)
	n, err := strconv.ParseUint(slide, 0, 64)
	if !found || !hasSlide || err != nil || len(id) != len(images.SharedCache{}.UUID) {
		return nil
	}
	return &images.SharedCache{UUID: [16]byte(id), Base: parseAddr(base), Slide: n}
}

// spinSize writes a size as spindump does.
func spinSize(n uint64) string {
	const mega, giga = 1 << 20, 1 << 30
	switch {
	case n == 0:
		return ""
	case n < 10*mega:
		return strconv.FormatUint(n>>10, 10) + " KB"
	case n < giga:
		return strconv.FormatFloat(float64(n)/mega, 'f', 2, 64) + " MB"
	}
	return strconv.FormatFloat(float64(n)/giga, 'f', 2, 64) + " GB"
}
