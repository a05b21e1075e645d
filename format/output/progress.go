package output

import (
	"fmt"
	"io"
	"time"
)

// Progress is a line on a terminal with the progress of sampling.
type Progress struct {
	To    io.Writer     // nil: show nothing
	Whole time.Duration // expected duration; 0: unknown
	Width func() int    // present columns of the terminal, 0 if unknown; may be nil
	shown bool
}

// Show writes the progress in place of the previous line.
func (p *Progress) Show(elapsed time.Duration, snapshots int) {
	if p.To == nil {
		return
	}
	p.shown = true
	of := ""
	if p.Whole > 0 {
		of = " of " + p.Whole.String()
	}
	line := fmt.Sprintf("sampling: %.1fs%s, %d samples; Ctrl-C ends early ", elapsed.Seconds(), of, snapshots)
	fmt.Fprint(p.To, "\r"+p.cut(line)+"\x1b[K")
}

// cut shortens a line so that the last column stays free for the cursor. A line that wraps
// could not be replaced.
func (p *Progress) cut(line string) string {
	if p.Width == nil {
		return line
	}
	if w := p.Width(); w > 0 && len(line) >= w {
		return line[:w-1]
	}
	return line
}

// Clear removes the line.
func (p *Progress) Clear() {
	if p.shown {
		fmt.Fprint(p.To, "\r\x1b[K")
		p.shown = false
	}
}
