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

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) }

// progressAfter is the shortest sampling that shows its progress.
const progressAfter = 2 * time.Second

// Progress returns a progress bar on standard error for a capture of that duration (0:
// unknown). It shows nothing for a short capture, or without a terminal.
func (c Streams) Progress(whole time.Duration) *output.Progress {
	bar := &output.Progress{Whole: whole}
	if IsTerminal(c.Err) && c.Getenv("TERM") != "dumb" && (whole == 0 || whole > progressAfter) {
		bar.To, bar.Width = c.Err, func() int { return output.Width(c.Err) }
	}
	return bar
}

// CanAsk reports whether the user can be asked: standard input and standard error are
// terminals.
func (c Streams) CanAsk() bool { return IsTerminal(c.In) && IsTerminal(c.Err) }
