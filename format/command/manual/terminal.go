package manual

import "strings"

// The indentation of blocks of code and tables: in Markdown, and on a terminal.
const (
	indent = "    "
	shown  = "  "
)

// Terminal returns a Markdown text for a terminal, without the markup. With bold, headings
// and code are in bold type.
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

// marked replaces the backticks around code by on and off.
func marked(line, on, off string) string {
	parts := strings.Split(line, "`")
	if len(parts)%2 == 0 { // unpaired backticks are literal
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
