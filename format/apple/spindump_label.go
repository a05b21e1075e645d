package apple

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/task"
)

// spinLabel is the text of a frame in a report of spindump:
//
//	SYMBOL + OFFSET (FILE:LINE,COLUMN in IMAGE + OFFSET) [ADDRESS] (STATE) FIRST-LAST
//	??? (IMAGE + OFFSET) [ADDRESS]
//	??? [ADDRESS]
//	<truncated backtrace>
//
// Up to version 18, a frame with a symbol has no offset in its image. The parts after
// the address describe the samples in which the frame was innermost: the thread's
// state, and in a timeline the numbers of the samples.
type spinLabel struct {
	symbol    string
	offset    uint64
	hasOffset bool
	file      string
	line      int
	column    int
	image     string // file name, or <UUID> if there is none; empty: not known
	inImage   uint64
	hasPlace  bool // inImage is valid
	pc        task.Addr
	state     string
	samples   string // range of samples, as "1-49"
	bare      bool   // a text, not a frame
	kernel    bool   // an asterisk precedes the line
}

// String formats the label, without the parts after the address.
func (l spinLabel) String() string {
	if l.bare {
		return l.symbol
	}
	s := l.symbol
	if l.hasOffset {
		s += fmt.Sprintf(" + %d", l.offset)
	}
	if l.image != "" {
		s += " (" + l.source() + l.image
		if l.hasPlace {
			s += fmt.Sprintf(" + %d", l.inImage)
		}
		s += ")"
	}
	return s + " [" + l.pc.String() + "]"
}

// source returns the source position, which precedes the image.
func (l spinLabel) source() string {
	s := l.file
	switch {
	case s == "":
		return ""
	case l.line > 0:
		s += ":" + strconv.Itoa(l.line)
	}
	if l.line > 0 && l.column > 0 {
		s += "," + strconv.Itoa(l.column)
	}
	return s + " in "
}

// spinForms are the patterns of a label's parts.
type spinForms struct{ bare, behind, offset, place, swapped *regexp.Regexp }

// spinForm compiles the patterns on first use, because most calls read no such
// report.
var spinForm = sync.OnceValue(func() spinForms {
	return spinForms{
		bare:    regexp.MustCompile(`^(<.*>)(?: (\d+(?:-\d+)?))?$`),
		behind:  regexp.MustCompile(`^(?: \((.*)\))?(?: (\d+(?:-\d+)?))?$`),
		offset:  regexp.MustCompile(`^(.*) \+ (\d+)$`),
		place:   regexp.MustCompile(`^(?:(.+?)(?::(\d+)(?:,(\d+))?)? in )?(.+?)(?: \+ (\d+))?$`),
		swapped: regexp.MustCompile(`^(.*) \(in ([^()]+)\) \+ (\d+)(?: \((.*):(\d+)\))?$`),
	}
})

// swappedIn matches the rare form of atos, with the image before the source position.
func (f *spinForms) swappedIn(text string) []string {
	if !strings.Contains(text, " (in ") {
		return nil
	}
	return f.swapped.FindStringSubmatch(text)
}

// addressMark precedes the address of a frame.
const addressMark = " [0x"

// parseSpinLabel parses a label. Without an address it is a text.
func parseSpinLabel(text string) spinLabel {
	at := strings.LastIndex(text, addressMark)
	if at < 0 {
		return bareLabel(text)
	}
	number, behind, found := strings.Cut(text[at+len(" ["):], "]")
	pc, err := strconv.ParseUint(number, 0, 64)
	rest := spinForm().behind.FindStringSubmatch(strings.TrimRight(behind, " "))
	if !found || err != nil || rest == nil {
		return bareLabel(text)
	}
	l := spinLabel{pc: task.Addr(pc), state: rest[1], samples: rest[2]}
	l.parsePlace(text[:at])
	return l
}

// bareLabel returns a label that is a text, not a frame.
func bareLabel(text string) spinLabel {
	l := spinLabel{symbol: text, bare: true}
	if m := spinForm().bare.FindStringSubmatch(text); m != nil {
		l.symbol, l.samples = m[1], m[2]
	}
	return l
}

// parsePlace parses the parts before the address.
func (l *spinLabel) parsePlace(text string) {
	forms := spinForm()
	if m := forms.swappedIn(text); m != nil { // the form that atos writes
		l.symbol, l.image, l.file = m[1], m[2], m[4]
		l.offset, l.hasOffset = parseOffset(m[3])
		l.line, _ = strconv.Atoi(m[5]) // 0: not known
		return
	}
	l.symbol = text
	if before, inside, found := cutParentheses(text); found {
		m := forms.place.FindStringSubmatch(inside)
		if m != nil && (m[5] != "" || before == notation.Unknown || forms.offset.MatchString(before)) {
			l.symbol, l.file, l.image = before, m[1], m[4]
			l.line, _ = strconv.Atoi(m[2]) // 0: not known
			l.column, _ = strconv.Atoi(m[3])
			l.inImage, l.hasPlace = parseOffset(m[5])
		}
	}
	if m := forms.offset.FindStringSubmatch(l.symbol); m != nil {
		if l.offset, l.hasOffset = parseOffset(m[2]); l.hasOffset {
			l.symbol = m[1]
		}
	}
}

func parseOffset(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

// cutParentheses cuts off the last text in parentheses, which may contain parentheses
// itself.
func cutParentheses(s string) (before, inside string, found bool) {
	if !strings.HasSuffix(s, ")") {
		return s, "", false
	}
	begin := strings.LastIndex(s, " (") // a name may have one parenthesis
	for i, depth := len(s)-1, 0; i > 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth == 0 {
			if begin = i - 1; s[begin] != ' ' {
				begin = -1 // the parentheses belong to a function's name
			}
			break
		}
	}
	if begin < 0 {
		return s, "", false
	}
	return s[:begin], s[begin+2 : len(s)-1], true
}
