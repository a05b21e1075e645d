package output

import (
	"fmt"
	"io"
	"time"
)

// Progress is a line on a terminal that tells how far a sampling is.
type Progress struct {
	To    io.Writer     // nil: nothing is told
	Whole time.Duration // how long it will take; 0: nobody knows
	Width func() int    // columns of the terminal at the moment, 0 where they are not known; may be nil
	shown bool
}

// Show writes the line anew.
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

// cut leaves the last column free: the cursor stands there, and a line that was
// continued on the next could not be written anew.
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
