package apple

import (
	"fmt"
	"strconv"
	"strings"

	"stacksnap/task"
)

// label is the text of a frame in the report of sample(1):
//
//	SYMBOL  (in IMAGE) + OFFSET  [ADDRESS]  FILE:LINE
//	???  (in IMAGE)  load address LOAD + OFFSET  [ADDRESS]
//	???  (in <unknown binary>)  [ADDRESS]
//
// For a function that was innermost at several addresses, it has the two most
// frequent ones, and dots if there are more: "+ 10,20,...".
type label struct {
	symbol  string
	image   string // empty: none
	load    task.Addr
	hasLoad bool
	offsets []uint64
	pcs     []task.Addr
	more    bool // there are further addresses
	file    string
	line    int
}

const (
	unknownBinary = "<unknown binary>"
	inImage       = "  (in "
	loadAddress   = "  load address "
)

// String writes the label as sample does.
func (l *label) String() string {
	var b strings.Builder
	b.WriteString(l.symbol)
	if l.image != "" {
		b.WriteString(inImage + l.image + ")")
	}
	if l.hasLoad {
		b.WriteString(loadAddress + l.load.String())
	}
	if len(l.offsets) > 0 {
		b.WriteString(" + " + several(l.offsets, l.more, l.offset))
	}
	if len(l.pcs) > 0 {
		b.WriteString("  [" + several(l.pcs, l.more, task.Addr.String) + "]")
	}
	if l.file != "" {
		fmt.Fprintf(&b, "  %s:%d", l.file, l.line)
	}
	return b.String()
}

// offset formats an offset: in decimal after a symbol, in hexadecimal after a load
// address.
func (l *label) offset(n uint64) string {
	if l.hasLoad {
		return fmt.Sprintf("0x%x", n)
	}
	return strconv.FormatUint(n, 10)
}

// several formats the first two elements of a list.
func several[T any](list []T, more bool, text func(T) string) string {
	s := text(list[0])
	if len(list) > 1 {
		s += "," + text(list[1])
	}
	if more || len(list) > 2 {
		s += ",..."
	}
	return s
}

// parseLabel parses a label. A text that is not a frame becomes a symbol without an
// image.
func parseLabel(text string) label {
	symbol, rest, found := strings.Cut(text, inImage)
	if !found {
		return parseBare(text)
	}
	for i := range rest {
		if rest[i] != ')' { // the image's name may contain parentheses
			continue
		}
		l := label{symbol: symbol, image: rest[:i]}
		if l.parseEnd(rest[i+1:]) {
			return l
		}
	}
	return label{symbol: text}
}

// parseBare parses a label without an image.
func parseBare(text string) label {
	for i := 0; i < len(text); i++ {
		if !strings.HasPrefix(text[i:], " + ") && !strings.HasPrefix(text[i:], "  [0x") {
			continue
		}
		l := label{symbol: text[:i]}
		if l.parseEnd(text[i:]) && len(l.pcs) > 0 {
			return l
		}
	}
	return label{symbol: text}
}

// parseEnd parses what follows the image, and reports whether it has that form.
func (l *label) parseEnd(s string) bool {
	ok := true
	if rest, found := strings.CutPrefix(s, loadAddress); found {
		var load []uint64
		load, _, s, ok = numbers(rest)
		if ok = ok && len(load) == 1; !ok {
			return false
		}
		l.load, l.hasLoad = task.Addr(load[0]), true
	}
	if rest, found := strings.CutPrefix(s, " + "); found {
		if l.offsets, l.more, s, ok = numbers(rest); !ok {
			return false
		}
	}
	if rest, found := strings.CutPrefix(s, "  ["); found {
		var pcs []uint64
		pcs, _, s, ok = numbers(rest)
		s, found = strings.CutPrefix(s, "]")
		if !ok || !found {
			return false
		}
		for _, pc := range pcs {
			l.pcs = append(l.pcs, task.Addr(pc))
		}
	}
	return s == "" || l.parseSource(s)
}

// parseSource parses a source position. It drops a column, and further text of newer
// versions.
func (l *label) parseSource(s string) bool {
	s, found := strings.CutPrefix(s, "  ")
	if !found {
		return false
	}
	i := strings.LastIndexByte(s, ':')
	if i <= 0 {
		return true
	}
	number, _, _ := strings.Cut(s[i+1:], ",")
	if line, err := strconv.ParseUint(number, 10, 31); err == nil {
		l.file, l.line = s[:i], int(line)
	}
	return true
}

// maxNumbers is the maximum number of addresses in a label.
const maxNumbers = 2

// numbers parses a list of numbers separated by commas, in newer versions with blanks
// after them. Dots mean that there are more.
func numbers(s string) (list []uint64, more bool, rest string, ok bool) {
	for {
		n := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefx", r) })
		if n < 0 {
			n = len(s)
		}
		number, err := strconv.ParseUint(s[:n], 0, 64)
		if err != nil || len(list) == maxNumbers {
			return nil, false, s, false
		}
		list, s = append(list, number), s[n:]
		next, found := strings.CutPrefix(s, ",")
		if !found {
			return list, false, s, true
		}
		next = strings.TrimPrefix(next, " ")
		if rest, dots := strings.CutPrefix(next, "..."); dots {
			return list, true, rest, true
		}
		s = next
	}
}
