package out

import (
	"os"
	"time"

	"stacksnap/format/output"

	"github.com/mattn/go-isatty"
)

// Streams are the program's standard streams and its environment.
type Streams struct {
	In, Out, Err *os.File
	Getenv       func(name string) string
}

// IsTerminal reports whether a file is one.
func IsTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) }

// progressAfter is from when on a sampling tells how far it is.
const progressAfter = 2 * time.Second

// Progress shows on standard error how far a capture is that takes so long, 0 where that is
// not known; nothing where nobody looks.
func (c Streams) Progress(whole time.Duration) *output.Progress {
	bar := &output.Progress{Whole: whole}
	if IsTerminal(c.Err) && c.Getenv("TERM") != "dumb" && (whole == 0 || whole > progressAfter) {
		bar.To, bar.Width = c.Err, func() int { return output.Width(c.Err) }
	}
	return bar
}

// CanAsk reports whether there is a person at a terminal to ask.
func (c Streams) CanAsk() bool { return IsTerminal(c.In) && IsTerminal(c.Err) }
