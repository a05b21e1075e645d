package apple

import (
	"math"
	"strconv"
	"strings"
	"time"

	"stacksnap/task"
)

// header reads a line of the header. Lines that are not known are left out.
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
		r.main.Bundle.Version, r.main.Bundle.Build = parseHeaderVersion(value)
	case "Code Type":
		r.codeType(value)
	case "Date/Time":
		r.profile.Start = parseMoment(value)
	case "Analysis Tool":
		r.profile.Tool = value
	case "Note", "Dispatch Thread Soft Limit", "Dispatch Thread Hard Limit":
		r.headerNote(key, value)
	default:
		targetFact(&r.profile.Target, key, value)
	}
}

// targetFact reads what is told of the process.
func targetFact(t *task.Info, key, value string) {
	switch key {
	case "Process":
		t.Name, t.PID = parseProcess(value)
	case "Path":
		t.Path = value
	case "Parent Process":
		t.ParentName, t.ParentPID = parseProcess(value)
	case "Launch Time":
		t.Start = parseMoment(value)
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

// headerNote keeps what a reader of the report should know.
func (r *sampleReader) headerNote(key, value string) {
	if len(r.profile.Notes) > maxNotes {
		return
	}
	if key != "Note" {
		value = key + ": " + value
	}
	r.note("%s", value)
}

// analysis reads the first line, from the name of the process on.
func (r *sampleReader) analysis(s string) {
	name, rest, found := cutLast(s, " (pid ")
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

// cutLast cuts at the last of the separators.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// codeType reads what architecture it is.
func (r *sampleReader) codeType(s string) {
	t := &r.profile.Target
	t.Translated = s == translatedCode
	name, _, _ := strings.Cut(s, " ")
	if name == authenticated {
		r.main.Variant, t.Arch = "arm64e", task.ARM64
		return
	}
	for arch, code := range codeTypes {
		if strings.EqualFold(strings.ReplaceAll(name, "ARM-64", "ARM64"), code) {
			t.Arch = arch
		}
	}
}

// parseProcess reads "NAME [PID]".
func parseProcess(s string) (name string, pid int) {
	name, rest, found := cutLast(s, " [")
	if found {
		pid, _ = strconv.Atoi(strings.TrimSuffix(rest, "]"))
	}
	if name == unknownSymbol {
		name = ""
	}
	return name, pid
}

// parseHeaderVersion reads "1.2 (34)".
func parseHeaderVersion(s string) (version, build string) {
	version, build, _ = strings.Cut(s, " (")
	if version == unknownSymbol {
		version = ""
	}
	return version, strings.TrimSuffix(build, ")")
}

func parseAddr(s string) task.Addr {
	n, _ := strconv.ParseUint(s, 0, 64) // 0: not known
	return task.Addr(n)
}

// halves are the halves of a day as systems set to 12 hours name them.
var halves = strings.NewReplacer(" a ", " AM ", " p ", " PM ", " am ", " AM ", " pm ", " PM ", " a.m. ", " AM ", " p.m. ", " PM ")

// parseMoment reads a time, the zero one where it is in no known form.
func parseMoment(s string) time.Time {
	s = halves.Replace(strings.ReplaceAll(s, "\u202f", " "))
	for _, layout := range []string{"2006-01-02 15:04:05 -0700", "2006-01-02 3:04:05 PM -0700", time.RFC3339} { // and any fraction of a second
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
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
