package words

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
)

// Clip cuts a text to width columns, and marks the cut.
func Clip(text string, width int) string {
	if Columns(text) <= width {
		return text
	}
	return Broken("", text, width)
}

// Broken returns the start of text, in fewer than width columns, with a mark of the cut. If the
// cut is within quotation marks, they are closed first. The opening mark may be in before, the
// text in front of it.
func Broken(before, text string, width int) string {
	for room := width - 1; ; room-- {
		if begin := Ended(before, firstColumns(text, room)); Columns(begin) < width || room <= 0 {
			return begin + "…"
		}
	}
}

// firstColumns returns the longest prefix of a text that fits into room columns.
func firstColumns(text string, room int) string {
	for i, r := range text {
		if room -= runeColumns(r); room < 0 {
			return text[:i]
		}
	}
	return text
}

// Ended closes the quotation marks that are open at the end of a text. It removes a last
// backslash that would escape them.
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

// The limits for fitting lines into a width.
const (
	leastName   = 24 // the fewest columns of a function's name
	leastFrame  = 44 // the fewest columns of a frame, with its source line
	weightWidth = 16 // columns of the number and the share of samples in front of a frame
	leastLevels = 8
)

// levels returns the deepest level that is indented, so that the frames still have room.
func (p *Printer) levels() int {
	if p.Width == 0 {
		return maxIndent
	}
	room := p.Width - leastFrame
	if p.Total > 0 {
		room -= weightWidth
	}
	return min(max(room/2, leastLevels), maxIndent)
}

// Fitted writes the line of a frame. If it does not fit, it drops first the addresses, then
// the split of time and the offset. Then it shortens the function's name, and drops the
// image. The source line stays, except behind code that is not the program's own.
func (p *Printer) Fitted(lead string, n *profile.Node, split string) {
	end := recursion(n) + source(n) + p.Marks(n)
	whole := lead + p.placeOf(n, p.Function(n.Location))
	for _, line := range []string{whole + p.addresses(n) + end + split, whole + end + split, whole + end} {
		if p.Over(line) <= 0 {
			p.put(line)
			return
		}
	}
	p.put(p.narrow(lead, n))
}

// narrow returns the line of a frame that does not fit as it is.
func (p *Printer) narrow(lead string, n *profile.Node) string {
	marks, image := p.Marks(n), briefImage(n)
	end := recursion(n) + source(n) + marks
	ends := []string{image + end, end}
	if !owncode.Is(&n.Location) {
		ends = append(ends, recursion(n)+marks)
	}
	line := ""
	for _, end := range ends {
		room := p.Width - Columns(lead+end)
		if line = lead + p.Name(p.functionIn(n.Location, room)) + end; p.Over(line) <= 0 {
			return line
		}
	}
	if end = ends[len(ends)-1]; recursion(n) != "" && p.Width-Columns(lead+end) < leastName {
		end = " (recursive)" + marks
	}
	return lead + p.Squeezed(n.Location, p.Width-Columns(lead+end)) + end
}

// Squeezed returns the name of a function in room columns, or in a few if there are less. It
// leaves out the middle of a name that cannot be narrowed so far.
func (p *Printer) Squeezed(l profile.Location, room int) string {
	name := p.functionIn(l, room)
	if Columns(name) > room {
		name = Elide(name, max(room-1, leastName))
	}
	return p.Name(name)
}

// briefImage names the image of a frame, and where in it the frame is if nothing else tells.
func briefImage(n *profile.Node) string {
	switch {
	case n.Image == nil:
		return ""
	case n.Inlined:
		return " [inlined] (" + ImageName(n.Image) + ")"
	case n.Function == "", n.Function == profile.Trampoline:
		return imagePlace(n)
	}
	return " (" + ImageName(n.Image) + ")"
}

// imagePlace names the image of a frame without a name, and its place there. If the frame has
// several addresses, that is the start of their function, if it is known.
func imagePlace(n *profile.Node) string {
	offset := n.Offset
	if further(n) > 0 && n.Function == "" {
		if n.Start == 0 {
			return " (" + ImageName(n.Image) + ")"
		}
		offset = n.AreaLocation().Offset
	}
	return " (" + ImageName(n.Image) + " + 0x" + strconv.FormatUint(offset, 16) + ")"
}

// Over returns the number of columns by which a line is too long; 0 or less if it fits.
func (p *Printer) Over(line string) int {
	if p.Width == 0 {
		return 0
	}
	return Columns(line) - p.Width
}

// Text writes a text. Further lines, if it does not fit into one, are indented by hang
// columns.
func (p *Printer) Text(lead string, hang int, text string) {
	for _, line := range Wrapped(lead+text, p.Width, hang) {
		p.put(line)
	}
}

// Wrapped breaks a text at blanks into lines of at most width columns; 0 means any width.
// Lines after the first are indented by hang columns. A word that is too long is not
// broken, nor is a number divided from its unit.
func Wrapped(text string, width, hang int) []string {
	if width == 0 || Columns(text) <= width {
		return []string{text}
	}
	var lines []string
	line, rest, more := cutWord(text)
	for more {
		var word string
		word, rest, more = cutWord(rest)
		if strings.TrimSpace(line) != "" && Columns(line)+1+Columns(word) > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line = strings.Repeat(" ", hang) + word
			continue
		}
		line += " " + word
	}
	return append(lines, line)
}

// cutWord cuts a text after its first word, or after its first two if they are a number and its unit.
func cutWord(text string) (word, rest string, more bool) {
	word, rest, more = strings.Cut(text, " ")
	if next, after, again := strings.Cut(rest, " "); more && endsInDigit(word) && beginsWithUnit(next) {
		return word + " " + next, after, again
	}
	return word, rest, more
}

func endsInDigit(word string) bool {
	return word != "" && '0' <= word[len(word)-1] && word[len(word)-1] <= '9'
}

var units = []string{"%", "s", "ms", "µs", "ns", "min", "h", "B", "kB", "KB", "MB", "GB", "TB", "kiB", "KiB", "MiB", "GiB", "TiB"}

// beginsWithUnit reports whether a word is a unit, or begins with one that a punctuation mark or the
// end of a style follows.
func beginsWithUnit(word string) bool {
	return slices.ContainsFunc(units, func(unit string) bool {
		after, ok := strings.CutPrefix(word, unit)
		return ok && (after == "" || !isAlphanumeric(after[0]))
	})
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// Columns returns the width of a text on a terminal, without our escape sequences for
// colour. The text must be printable. It may count some characters as too wide.
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

// runeColumns returns 2 for runes that may be two columns wide (Unicode, EastAsianWidth),
// otherwise 1.
func runeColumns(r rune) int {
	const hangul, hangulEnd, radicals = 0x1100, 0x115f, 0x2e80
	if r >= hangul && r <= hangulEnd || r >= radicals {
		return 2
	}
	return 1
}

// placeOf describes the place of a frame in a function with that name, as far as known.
func (p *Printer) placeOf(n *profile.Node, name string) string {
	function := p.Name(name)
	switch {
	case !p.Places && n.Function != "" && n.Function != profile.Trampoline:
		return function + briefImage(n)
	case n.Kernel && n.Placeless() && n.Offset != 0: // Linux names functions, and no addresses
		return function + " + " + offsets(n)
	case n.Image == nil:
		return function
	case n.Image.Runtime:
		return function + briefImage(n)
	case n.Inlined:
		return function + " [inlined] (" + ImageName(n.Image) + ")"
	case n.Function == "", n.Function == profile.Trampoline:
		return function + imagePlace(n)
	}
	return function + " + " + offsets(n) + " (" + ImageName(n.Image) + ")"
}
