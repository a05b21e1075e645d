package apple

import (
	"math"
	"strconv"
	"strings"
	"time"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/task"
)

// header reads a line of the header. It ignores unknown lines.
func (r *sampleReader) header(line string) {
	if rest, found := strings.CutPrefix(line, analysisOf); found {
		r.analysis(rest)
		return
	}
	key, value, found := strings.Cut(line, ":")
	value, _ = r.keep(strings.TrimSpace(value))
	if !found || value == "" {
		return
	}
	switch key {
	case "Load Address":
		r.main.Load = parseAddr(value)
	case "Identifier":
		r.main.Bundle.ID = value
	case "Version":
		r.main.Bundle.Version, r.main.Bundle.Build = notation.ParseVersion(value)
	case "Code Type":
		r.codeType(value)
	case "Date/Time":
		r.profile.Start = notation.ParseMoment(value)
	case "Analysis Tool":
		r.profile.Tool = value
	case "Note", "Dispatch Thread Soft Limit", "Dispatch Thread Hard Limit":
		r.headerNote(key, value)
	default:
		targetFact(&r.profile.Target, key, value)
	}
}

// targetFact reads a fact about the process.
func targetFact(t *task.Info, key, value string) {
	switch key {
	case "Process":
		t.Name, t.PID = notation.ParseProcess(value)
	case "Path":
		t.Path = value
	case "Parent Process":
		t.ParentName, t.ParentPID = notation.ParseProcess(value)
	case "Launch Time":
		t.Start = notation.ParseMoment(value)
	case "OS Version":
		t.OSVersion = value
	case footprint:
		t.Footprint.Now = parseByteSize(value)
	case peakFootprint:
		t.Footprint.Peak = parseByteSize(value)
	case "Target Type":
		t.Live = value == liveTask
	case "Platform":
		if value == "Linux" {
			t.OS = task.Linux
		}
	}
}

// headerNote keeps a line of the header as a note.
func (r *sampleReader) headerNote(key, value string) {
	if len(r.profile.Notes) > notation.MaxNotes {
		return
	}
	if key != "Note" {
		value = key + ": " + value
	}
	r.note("%s", value)
}

// analysis reads the first line, from the process name on.
func (r *sampleReader) analysis(s string) {
	name, rest, found := notation.CutLast(s, " (pid ")
	pid, rest, _ := strings.Cut(rest, ") ")
	if !found {
		return
	}
	r.profile.Target.Name, _ = r.keep(name)
	r.profile.Target.PID, _ = strconv.Atoi(pid)
	words := strings.Fields(rest)
	if len(words) < 3 || words[0] != "every" {
		return
	}
	n, err := strconv.ParseFloat(words[1], 64)
	unit := map[string]time.Duration{"microsecond": time.Microsecond, "millisecond": time.Millisecond, "second": time.Second}[strings.TrimSuffix(words[2], "s")]
	if interval := n * float64(unit); err == nil && interval > 0 && interval < math.MaxInt64 {
		r.profile.Interval = time.Duration(interval)
	}
}

// codeType reads the architecture.
func (r *sampleReader) codeType(s string) {
	t := &r.profile.Target
	t.Translated = s == translatedCode
	name, _, _ := strings.Cut(s, " ")
	if name == authenticated {
		r.main.Variant, t.Arch = "arm64e", task.ARM64
		return
	}
	for arch, code := range notation.CodeTypes {
		if strings.EqualFold(strings.ReplaceAll(name, "ARM-64", "ARM64"), code) {
			t.Arch = arch
		}
	}
}

func parseAddr(s string) task.Addr {
	n, _ := strconv.ParseUint(s, 0, 64) // 0: not known
	return task.Addr(n)
}

// parseByteSize reads what byteSize writes.
func parseByteSize(s string) uint64 {
	if s == "" {
		return 0
	}
	n, err := strconv.ParseFloat(s[:len(s)-1], 64)
	shift := map[byte]int{'K': 10, 'M': 20, 'G': 30, 'T': 40}[s[len(s)-1]]
	if n *= float64(uint64(1) << shift); err != nil || !(n >= 0 && n < 1<<62) {
		return 0
	}
	return uint64(n)
}
