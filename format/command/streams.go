package command

import (
	"os"
	"time"

	"stacksnap/format/output"

	"github.com/mattn/go-isatty"
)

// stream is where a report that goes to no file does.
func (c *call) stream(d *destination) (to *os.File, name string) {
	if len(c.command) > 0 && d.path != standardOutput {
		return c.Err, "error" // standard output is the program's
	}
	return c.Out, "output"
}

func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) }

// progressAfter is from when on a sampling tells how far it is.
const progressAfter = 2 * time.Second

func (c *call) progress(whole time.Duration) *output.Progress {
	bar := &output.Progress{Whole: whole}
	if isTerminal(c.Err) && c.Getenv("TERM") != "dumb" && (whole == 0 || whole > progressAfter) {
		bar.To, bar.Width = c.Err, func() int { return output.Width(c.Err) }
	}
	return bar
}

// canAsk reports whether there is a person at a terminal to ask.
func (c Command) canAsk() bool { return isTerminal(c.In) && isTerminal(c.Err) }

// columns is how wide a line on standard error may be.
func (c Command) columns() int {
	if width := output.Width(c.Err); width > 0 {
		return width
	}
	return choiceColumn
}
