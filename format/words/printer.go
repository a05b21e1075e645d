package words

import (
	"bufio"
	"fmt"
	"io"

	"stacksnap/format/profile"
)

// Printer writes the parts of a report for people. Its first write error stays
// and is what Flush returns.
type Printer struct {
	*bufio.Writer
	palette
	Profile *profile.Profile
	Total   int  // samples that a count is a share of; 0: counts are not printed
	Width   int  // columns; 0: any
	short   bool // names of functions are shortened
	Guessed bool // a frame was marked so, which the end of the report explains
	FpOnly  bool
	facts   *[]Fact // where those of the header go instead; nil: they are written
}

// BufferSize is how much is written at once.
const BufferSize = 64 << 10

func NewPrinter(w io.Writer, p *profile.Profile, o Options) *Printer {
	if o.ASCII {
		w = &asciiWriter{to: w}
	}
	return &Printer{Writer: bufio.NewWriterSize(w, BufferSize), palette: newPalette(o.Color), Profile: p, Width: o.Width, short: true}
}

// Line writes one line. Errors are kept by the buffer until Flush.
func (p *Printer) Line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	_ = p.WriteByte('\n')
}

// put writes one line of those parts.
func (p *Printer) put(parts ...string) {
	for _, part := range parts {
		_, _ = p.WriteString(part)
	}
	_ = p.WriteByte('\n')
}

// Fact writes a line of the header, values aligned as in Apple's reports.
func (p *Printer) Fact(key, value string) {
	switch {
	case value == "":
	case p.facts != nil:
		*p.facts = append(*p.facts, Fact{key, value})
	default:
		p.Text("", 17, fmt.Sprintf("%-16s %s", key+":", value))
	}
}
