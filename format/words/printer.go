package words

import (
	"bufio"
	"fmt"
	"io"

	"github.com/fatih/color"

	"stacksnap/format/profile"
)

// Printer writes the parts of a report for people. It keeps the first write error for
// Flush.
type Printer struct {
	*bufio.Writer
	palette
	Profile *profile.Profile
	Total   int  // number of samples that is 100%; 0: print no counts
	Width   int  // columns of a line; 0: any
	Places  bool // print addresses, and offsets in functions
	short   bool // shorten the names of functions
	Guessed bool // a frame was marked "(guess)", to be explained at the end of the report
	FpOnly  bool
	facts   *[]Fact // receives the header's lines; nil: they are written
	names   shownNames
}

// BufferSize is the size of the buffer in bytes.
const BufferSize = 64 << 10

func NewPrinter(w io.Writer, p *profile.Profile, o Options) *Printer {
	if o.ASCII {
		w = &asciiWriter{to: w}
	}
	return &Printer{Writer: bufio.NewWriterSize(w, BufferSize), palette: newPalette(o.Color), Profile: p, Width: o.Width, Places: o.Addresses || !p.Sampled(), short: true}
}

// Line writes one line. A write error is returned by Flush.
func (p *Printer) Line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	_ = p.WriteByte('\n')
}

// put writes the parts as one line.
func (p *Printer) put(parts ...string) {
	for _, part := range parts {
		_, _ = p.WriteString(part)
	}
	_ = p.WriteByte('\n')
}

// Fact writes a line of the header, unless the value is empty. Values are aligned as in
// Apple's reports.
func (p *Printer) Fact(key, value string) {
	switch {
	case value == "":
	case p.facts != nil:
		*p.facts = append(*p.facts, Fact{key, value})
	default:
		p.Text("", 17, fmt.Sprintf("%-16s %s", key+":", value))
	}
}

// paint adds the escape sequences of a colour to a text, or none.
type paint func(string) string

// palette are the colours of a report: of names, of doubtful and missing parts, and of
// addresses, which are faint.
type palette struct{ Name, Doubt, Cut, Faint paint }

func newPalette(colored bool) palette {
	if !colored {
		plain := func(s string) string { return s }
		return palette{plain, plain, plain, plain}
	}
	return palette{
		Name:  painter(color.Bold),
		Doubt: painter(color.FgYellow),
		Cut:   painter(color.FgRed),
		Faint: painter(color.Faint),
	}
}

// painter returns a paint that colours any output, as the caller has decided.
func painter(a color.Attribute) paint {
	c := color.New(a)
	c.EnableColor()
	return func(s string) string { return c.Sprint(s) }
}
