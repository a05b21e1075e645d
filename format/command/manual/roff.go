package manual

import (
	"fmt"
	"strings"
	"unicode"
)

// Roff returns the topic in the macros of man(7): a section named after the topic, with a
// subsection for each heading.
func (t Topic) Roff() string {
	w := &roffWriter{}
	w.b.WriteString(".SH " + strings.ToUpper(t.Name) + "\n")
	for line := range strings.Lines(t.Text()) {
		w.line(strings.TrimSuffix(line, "\n"))
	}
	w.endBlock()
	return w.b.String()
}

// roffWriter converts a Markdown text to roff line by line.
type roffWriter struct {
	b       strings.Builder
	inBlock bool // in a block of code or a table
	blank   bool // the line before was empty
}

func (w *roffWriter) line(line string) {
	if line == "" {
		w.blank = true
		return
	}
	if code, ok := strings.CutPrefix(line, indent); ok {
		w.block(code)
		return
	}
	w.endBlock()
	switch {
	case strings.HasPrefix(line, "# "):
		title := prose(line[2:])
		w.b.WriteString(strings.ToUpper(title[:1]) + title[1:] + ".\n")
	case strings.HasPrefix(line, "## "):
		w.b.WriteString(".SS " + Escape(line[3:]) + "\n")
	case strings.HasPrefix(line, "- "):
		w.b.WriteString(".IP \\(bu 2\n" + prose(line[2:]) + "\n")
	default:
		if w.blank {
			w.b.WriteString(".PP\n")
		}
		w.b.WriteString(prose(strings.TrimLeft(line, " ")) + "\n")
	}
	w.blank = false
}

// block writes a line of code or of a table unfilled.
func (w *roffWriter) block(code string) {
	switch {
	case !w.inBlock:
		w.b.WriteString(".PP\n.RS 4\n.nf\n")
	case w.blank:
		w.b.WriteByte('\n')
	}
	w.inBlock, w.blank = true, false
	w.b.WriteString(Escape(code) + "\n")
}

func (w *roffWriter) endBlock() {
	if w.inBlock {
		w.b.WriteString(".fi\n.RE\n")
		w.inBlock = false
	}
}

// prose escapes a line of text, with code in backticks in bold.
func prose(line string) string {
	parts := strings.Split(line, "`")
	if len(parts)%2 == 0 {
		return Escape(line)
	}
	for i := range parts {
		parts[i] = escape(parts[i])
		if i%2 == 1 {
			parts[i] = `\fB` + parts[i] + `\fR`
		}
	}
	return lineStart(strings.Join(parts, ""))
}

// Escape escapes a line for roff, so that backslashes, hyphens and a leading dot or
// quotation mark are printed as they are.
func Escape(line string) string { return lineStart(escape(line)) }

// escape escapes backslashes and hyphens, and writes characters beyond ASCII by number
// (groff_char(7)), which works in any encoding.
func escape(s string) string {
	var b strings.Builder
	for _, r := range strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s) {
		if r > unicode.MaxASCII {
			fmt.Fprintf(&b, `\[u%04X]`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func lineStart(s string) string {
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}
