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
// A function that was innermost at several addresses has the first two of them, the
// one that occurred most often first, and dots for others: "+ 10,20,...".
type label struct {
	symbol  string
	image   string // empty: none is told
	load    task.Addr
	hasLoad bool
	offsets []uint64
	pcs     []task.Addr
	more    bool // further addresses than these
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

// offset is decimal behind a symbol, and hexadecimal behind a load address.
func (l *label) offset(n uint64) string {
	if l.hasLoad {
		return fmt.Sprintf("0x%x", n)
	}
	return strconv.FormatUint(n, 10)
}

// several writes the first two of a list.
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

// parseLabel reads what String writes. What is no frame of code is a symbol alone.
func parseLabel(text string) label {
	symbol, rest, found := strings.Cut(text, inImage)
	if !found {
		return parseBare(text)
	}
	for i := range rest {
		if rest[i] != ')' { // the image's name may have one, too
			continue
		}
		l := label{symbol: symbol, image: rest[:i]}
		if l.parseEnd(rest[i+1:]) {
			return l
		}
	}
	return label{symbol: text}
}

// parseBare reads a label without an image.
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

// parseEnd reads what follows the image, and reports whether it is of that form.
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

// parseSource reads a place in the source, which may have a column that is not kept;
// or what else newer versions put there.
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

// maxNumbers is how many numbers a list has at most.
const maxNumbers = 2

// numbers reads a list of numbers with commas, in newer versions with blanks behind
// these, and dots for further ones.
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
