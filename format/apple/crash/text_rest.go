package crash

import (
	"strconv"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
)

// textPart is a part of the text of a crash report, in the order of these.
type textPart uint8

const (
	inTop textPart = iota
	inProcess
	inDates
	inException
	inThreads
	inState // of the processor, in the thread that crashed
	behindImages
	textParts
)

// textRest is what a crash report has that the model has no place for. Its writer gives it
// back.
type textRest struct {
	identifier    string
	version       string
	native        string // what follows the architecture
	reportVersion string
	trigger       string // how the thread is called that is to blame
	subtype       bool   // the exception's has a line of its own
	phone         bool   // it has the form of a phone, which reporters of other makers have, too
	plus          bool   // the list marks the program in that form
	decimals      int    // of seconds
	lines         [textParts][]string
	notes         []string // what notes were made of lines of these
	bytes         int
}

// The bounds of the bytes that are kept of lines: of all, and of those before the exception,
// by which a report is known.
const (
	maxRest = 1 << 20
	maxHead = notation.HeadSize / 2
)

// keep keeps a line, and reports whether there was room.
func (r *textRest) keep(part textPart, line string) bool {
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
func (r *textRest) blank(part textPart) {
	if n := len(r.lines[part]); part >= inException && n > 0 && r.lines[part][n-1] != "" {
		_ = r.keep(part, "") // it is no loss
	}
}

// tell keeps a line of what ended the process of which a note was made.
func (r *textRest) tell(line, note string) bool {
	if !r.keep(inException, line) {
		return false
	}
	r.notes = append(r.notes, note)
	return true
}

// lastBuildFirst is the last iOS that has the build before the version.
const lastBuildFirst = 14

// buildFirst reports whether the header has the build of the program before its version, as
// iOS had until version 14. Only Apple's own reports name a Mach exception.
func (r *textRest) buildFirst(d *ipsPayload) bool {
	if d.OS == nil || d.Exception == nil || d.Exception.Type == "" {
		return false
	}
	name, version, _ := notation.CutLast(strings.TrimSuffix(strings.Split(d.OS.Train, " (")[0], " "), " ")
	major, err := strconv.Atoi(strings.Split(version, ".")[0])
	return err == nil && major <= lastBuildFirst && (name == "iOS" || name == "iPhone OS")
}

// decimals returns the number of decimals of a time's seconds.
func decimals(s string) int {
	_, fraction, found := strings.Cut(s, ".")
	if !found {
		return 0
	}
	return len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
}

// textRestOf is what the report has that a profile is of; nil: it is of none.
func textRestOf(p *profile.Profile) *textRest {
	rest, _ := p.Report.(*textRest)
	return rest
}
