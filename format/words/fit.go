package words

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"stacksnap/format/profile"
)

// Clip cuts a text to so many columns, and marks that.
func Clip(text string, width int) string {
	if Columns(text) <= width {
		return text
	}
	return Broken("", text, width)
}

// Broken is the begin of a text, with a mark that it breaks off and, where it does so in
// quotation marks, the end of these. They may begin in the text that stands before.
func Broken(before, text string, width int) string {
	for room := width - 1; ; room-- {
		if begin := Ended(before, firstColumns(text, room)); Columns(begin) < width || room <= 0 {
			return begin + "…"
		}
	}
}

// firstColumns is as much of a text as fits into so many columns.
func firstColumns(text string, room int) string {
	for i, r := range text {
		if room -= runeColumns(r); room < 0 {
			return text[:i]
		}
	}
	return text
}

// Ended ends the quotation marks that are open where a text breaks off. A backslash alone,
// which would escape them, is left out.
func Ended(before, text string) string {
	open, escape := false, false
	for _, c := range before + text {
		switch {
		case escape:
			escape = false
		case c == '\\':
			escape = true
		case c == '"':
			open = !open
		}
	}
	if escape {
		text = strings.TrimSuffix(text, `\`)
	}
	if open {
		text += `"`
	}
	return text
}

// What is left of a line that has to fit.
const (
	LeastName   = 24 // columns of a function's name
	indentParts = 5  // one in so many columns is a level of the tree
	leastLevels = 8
)

// levels is up to which level frames are indented.
func (p *Printer) levels() int {
	if p.Width == 0 {
		return maxIndent
	}
	return min(max(p.Width/indentParts, leastLevels), maxIndent)
}

// Fitted writes the line of a frame. Where that does not fit, it leaves out addresses,
// then on what time was spent, and then the middle of the function's name.
func (p *Printer) Fitted(lead string, n *profile.Node, split string) {
	name := p.Function(n.Location)
	end := source(n) + p.marks(n)
	if p.Width == 0 {
		p.put(lead, p.placeOf(n, name), p.addresses(n), end, split)
		return
	}
	line := lead + p.placeOf(n, name) + p.addresses(n) + end + split
	if p.Over(line) > 0 {
		line = lead + p.placeOf(n, name) + end + split
	}
	if p.Over(line) > 0 {
		line = lead + p.placeOf(n, name) + end
	}
	if over := p.Over(line); over > 0 {
		line = lead + p.placeOf(n, Elide(name, max(utf8.RuneCountInString(name)-over-1, LeastName))) + end
	}
	p.put(line)
}

// Over is by how many columns a line is too long.
func (p *Printer) Over(line string) int {
	if p.Width == 0 {
		return 0
	}
	return Columns(line) - p.Width
}

// Text writes a text, and goes on in further lines, that far in, where it does not fit.
func (p *Printer) Text(lead string, hang int, text string) {
	for _, line := range Wrapped(lead+text, p.Width, hang) {
		p.put(line)
	}
}

// Wrapped breaks a text at blanks, so that lines have so many columns at most, and all
// but the first begin so far in. A word that is too long stays whole. 0 is any width.
func Wrapped(text string, width, hang int) []string {
	if width == 0 || Columns(text) <= width {
		return []string{text}
	}
	var lines []string
	line, rest, more := strings.Cut(text, " ")
	for more {
		var word string
		word, rest, more = strings.Cut(rest, " ")
		if strings.TrimSpace(line) != "" && Columns(line)+1+Columns(word) > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line = strings.Repeat(" ", hang) + word
			continue
		}
		line += " " + word
	}
	return append(lines, line)
}

// Columns counts what a terminal shows of a text that is fit for it, our own colours
// left out, rather too many than too few.
func Columns(text string) (n int) {
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			if _, after, ends := strings.Cut(rest, "m"); ends {
				text = after
				continue
			}
		}
		r, size := utf8.DecodeRuneInString(text)
		n += runeColumns(r)
		text = text[size:]
	}
	return n
}

// runeColumns is two for what may be shown so wide (Unicode, EastAsianWidth).
func runeColumns(r rune) int {
	const hangul, hangulEnd, radicals = 0x1100, 0x115f, 0x2e80
	if r >= hangul && r <= hangulEnd || r >= radicals {
		return 2
	}
	return 1
}

// placeOf names a place in a function of that name, or else as much as is known of it.
func (p *Printer) placeOf(n *profile.Node, name string) string {
	function := p.Name(name)
	switch {
	case n.Kernel && n.Placeless() && n.Offset != 0: // Linux names functions, and no addresses
		return function + " + " + offsets(n)
	case n.Image == nil:
		return function
	case n.Inlined:
		return function + " [inlined] (" + ImageName(n.Image) + ")"
	case n.Function == "", n.Function == profile.Trampoline:
		return function + " (" + ImageName(n.Image) + " + 0x" + strconv.FormatUint(n.Offset, 16) + ")"
	}
	return function + " + " + offsets(n) + " (" + ImageName(n.Image) + ")"
}
