package manual

import "strings"

// Where blocks of code and tables begin: in Markdown, and on a terminal, where that
// much more of a line fits.
const (
	indent = "    "
	shown  = "  "
)

// Terminal has a text as a terminal shows it: without the signs of Markdown, with
// headings and code in bold type where that is wanted.
func Terminal(text string, bold bool) string {
	on, off := "", ""
	if bold {
		on, off = "\x1b[1m", "\x1b[0m"
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		heading := strings.TrimLeft(line, "#")
		switch {
		case heading != line:
			b.WriteString(on + strings.TrimSpace(heading) + off)
		case strings.HasPrefix(line, indent):
			b.WriteString(shown + line[len(indent):])
		default:
			b.WriteString(marked(line, on, off))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// marked puts words around what stands in backticks, in their place.
func marked(line, on, off string) string {
	parts := strings.Split(line, "`")
	if len(parts)%2 == 0 { // one backtick is alone: it means itself
		return line
	}
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 1 {
			part = on + part + off
		}
		b.WriteString(part)
	}
	return b.String()
}
