package notation

import (
	"bufio"
	"fmt"
	"io"
)

// Writer writes a report line by line. Flush returns its first write error.
type Writer struct {
	*bufio.Writer
	column int
}

// NewWriter returns a writer that begins the values of facts in a column, counted
// from 0.
func NewWriter(w io.Writer, column int) Writer {
	return Writer{bufio.NewWriterSize(w, 64<<10), column}
}

// Line formats a line and writes it.
func (w Writer) Line(format string, args ...any) {
	fmt.Fprintf(w, format, args...)
	_ = w.WriteByte('\n')
}

// Fact writes a line with a key and a value, or nothing if the value is empty.
// It is not inlined: copies of it took 16 kB of the program.
//
//go:noinline
func (w Writer) Fact(key, value string) {
	if value != "" {
		w.Line("%-*s %s", w.column-1, key+":", value)
	}
}
