package crash

import (
	"strconv"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
)

// textPart is a part of a crash report, in the order of the text.
type textPart uint8

const (
	inTop textPart = iota
	inProcess
	inDates
	inException
	inThreads
	inState // processor state of the thread that crashed
	behindImages
	textParts
)

// textRest is the text of a crash report that the model cannot hold. When the profile
// is written as text, it is written again.
type textRest struct {
	identifier    string
	version       string
	native        string // text after the architecture
	reportVersion string
	trigger       string // title of the thread that crashed
	subtype       bool   // the exception's subtype has its own line
	phone         bool   // the report has the form of iOS, which third-party reporters write too
	plus          bool   // the list marks the program with a plus
	decimals      int    // decimals of seconds in times
	lines         [textParts][]string
	notes         []string // notes that were made from these lines
	bytes         int
}

// Limits of the kept lines in bytes: for all lines, and for those before the
// exception, by which a report is recognised.
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

// blank keeps a blank line after other lines.
func (r *textRest) blank(part textPart) {
	if n := len(r.lines[part]); part >= inException && n > 0 && r.lines[part][n-1] != "" {
		_ = r.keep(part, "") // a lost blank line does not matter
	}
}

// tell keeps a line about the reason why the process ended, and the note that was
// made from it.
func (r *textRest) tell(line, note string) bool {
	if !r.keep(inException, line) {
		return false
	}
	r.notes = append(r.notes, note)
	return true
}

// lastBuildFirst is the last iOS version whose reports have the build before the
// version.
const lastBuildFirst = 14

// buildFirst reports whether the header has the program's build before its version,
// as on iOS up to version 14. Only Apple's own reports name a Mach exception.
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

// textRestOf returns the rest of the text report that the profile was read from, nil
// if there is none.
func textRestOf(p *profile.Profile) *textRest {
	rest, _ := p.Report.(*textRest)
	return rest
}
