package apple

import (
	"strconv"
	"strings"
	"time"

	"stacksnap/format/profile"
)

// crashPart is a part of the text of a crash report, in the order of these.
type crashPart uint8

const (
	inTop crashPart = iota
	inProcess
	inDates
	inException
	inThreads
	inState // of the processor, in the thread that crashed
	behindImages
	crashParts
)

// crashRest is what a crash report has that the model has no place for. Its writer gives it
// back.
type crashRest struct {
	identifier    string
	version       string
	native        string // what stands behind the architecture
	reportVersion string
	trigger       string // how the thread is called that is to blame
	subtype       bool   // the exception's has a line of its own
	phone         bool   // it has the form of a phone, which reporters of other makers have, too
	plus          bool   // the list marks the program in that form
	decimals      int    // of seconds
	lines         [crashParts][]string
	notes         []string // what notes were made of lines of these
	bytes         int
}

// The bounds of the bytes that are kept of lines: of all, and of those before the exception,
// by which a report is known.
const (
	maxRest = 1 << 20
	maxHead = headSize / 2
)

// keep keeps a line, and reports whether there was room.
func (r *crashRest) keep(part crashPart, line string) bool {
	room := maxRest
	if part < inException {
		room = maxHead
	}
	if r.bytes+len(line) >= room {
		return false
	}
	r.bytes += len(line) + 1
	r.lines[part] = append(r.lines[part], line)
	return true
}

// blank keeps the blank line behind others.
func (r *crashRest) blank(part crashPart) {
	if n := len(r.lines[part]); part >= inException && n > 0 && r.lines[part][n-1] != "" {
		_ = r.keep(part, "") // it is no loss
	}
}

// tell keeps a line of what ended the process of which a note was made.
func (r *crashRest) tell(line, note string) bool {
	if !r.keep(inException, line) {
		return false
	}
	r.notes = append(r.notes, note)
	return true
}

// lastBuildFirst is the last iOS that has the build before the version.
const lastBuildFirst = 14

// buildFirst reports whether the header has the build of the program before its version: so
// had Apple's phones, which name an exception by Mach.
func (r *crashRest) buildFirst(d *ipsPayload) bool {
	if d.OS == nil || d.Exception == nil || d.Exception.Type == "" {
		return false
	}
	name, version, _ := cutLast(strings.TrimSuffix(strings.Split(d.OS.Train, " (")[0], " "), " ")
	major, err := strconv.Atoi(strings.Split(version, ".")[0])
	return err == nil && major <= lastBuildFirst && (name == "iOS" || name == "iPhone OS")
}

// decimals is how many a time's seconds have; −1: it has no such form.
func decimals(s string) int {
	_, fraction, found := strings.Cut(s, ".")
	if !found {
		return 0
	}
	return len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
}

// momentOf is a time with so many decimals as the report had that was opened.
func momentOf(t time.Time, decimals int) string {
	if t.IsZero() {
		return ""
	}
	layout := "2006-01-02 15:04:05"
	if decimals > 0 {
		layout += "." + strings.Repeat("0", min(decimals, 9))
	}
	return t.Format(layout + " -0700")
}

// crashRestOf is what the report has that a profile is of; nil: it is of none.
func crashRestOf(p *profile.Profile) *crashRest {
	rest, _ := p.Report.(*crashRest)
	return rest
}
