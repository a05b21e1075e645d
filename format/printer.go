package format

import (
	"bufio"
	"fmt"
	"io"

	"stacksnap/format/profile"
)

// printer writes the parts of a report for people. Its first write error stays
// and is what Flush returns.
type printer struct {
	*bufio.Writer
	palette
	profile *profile.Profile
	total   int  // samples that a count is a share of; 0: counts are not printed
	width   int  // columns; 0: any
	short   bool // names of functions are shortened
	guessed bool // a frame was marked so, which the end of the report explains
	fpOnly  bool
	facts   *[]Fact // where those of the header go instead; nil: they are written
}

// bufferSize is how much is written at once.
const bufferSize = 64 << 10

func newPrinter(w io.Writer, p *profile.Profile, o Options) *printer {
	if o.ASCII {
		w = &asciiWriter{to: w}
	}
	return &printer{Writer: bufio.NewWriterSize(w, bufferSize), palette: newPalette(o.Color), profile: p, width: o.Width, short: true}
}

// line writes one line. Errors are kept by the buffer until Flush.
func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	_ = p.WriteByte('\n')
}

// put writes one line of those parts.
func (p *printer) put(parts ...string) {
	for _, part := range parts {
		_, _ = p.WriteString(part)
	}
	_ = p.WriteByte('\n')
}

// fact writes a line of the header, values aligned as in Apple's reports.
func (p *printer) fact(key, value string) {
	switch {
	case value == "":
	case p.facts != nil:
		*p.facts = append(*p.facts, Fact{key, value})
	default:
		p.text("", 17, fmt.Sprintf("%-16s %s", key+":", value))
	}
}
