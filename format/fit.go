package format

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"stacksnap/format/profile"
)

// What is left of a line that has to fit.
const (
	leastName   = 24 // columns of a function's name
	indentParts = 5  // one in so many columns is a level of the tree
	leastLevels = 8
)

// levels is up to which level frames are indented.
func (p *printer) levels() int {
	if p.width == 0 {
		return maxIndent
	}
	return min(max(p.width/indentParts, leastLevels), maxIndent)
}

// fitted writes the line of a frame. Where that does not fit, it leaves out addresses,
// then on what time was spent, and then the middle of the function's name.
func (p *printer) fitted(lead string, n *profile.Node, split string) {
	name := p.function(n.Location)
	end := source(n) + p.marks(n)
	if p.width == 0 {
		p.put(lead, p.placeOf(n, name), p.addresses(n), end, split)
		return
	}
	line := lead + p.placeOf(n, name) + p.addresses(n) + end + split
	if p.over(line) > 0 {
		line = lead + p.placeOf(n, name) + end + split
	}
	if p.over(line) > 0 {
		line = lead + p.placeOf(n, name) + end
	}
	if over := p.over(line); over > 0 {
		line = lead + p.placeOf(n, elide(name, max(utf8.RuneCountInString(name)-over-1, leastName))) + end
	}
	p.put(line)
}

// over is by how many columns a line is too long.
func (p *printer) over(line string) int {
	if p.width == 0 {
		return 0
	}
	return Columns(line) - p.width
}

// text writes a text, and goes on in further lines, that far in, where it does not fit.
func (p *printer) text(lead string, hang int, text string) {
	for _, line := range wrapped(lead+text, p.width, hang) {
		p.put(line)
	}
}

// wrapped breaks a text at blanks, so that lines have so many columns at most, and all
// but the first begin so far in. A word that is too long stays whole. 0 is any width.
func wrapped(text string, width, hang int) []string {
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
func (p *printer) placeOf(n *profile.Node, name string) string {
	function := p.name(name)
	switch {
	case n.Kernel && n.Placeless() && n.Offset != 0: // Linux names functions, and no addresses
		return function + " + " + offsets(n)
	case n.Image == nil:
		return function
	case n.Inlined:
		return function + " [inlined] (" + imageName(n.Image) + ")"
	case n.Function == "", n.Function == profile.Trampoline:
		return function + " (" + imageName(n.Image) + " + 0x" + strconv.FormatUint(n.Offset, 16) + ")"
	}
	return function + " + " + offsets(n) + " (" + imageName(n.Image) + ")"
}
