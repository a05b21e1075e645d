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
	fmt.Fprintf(p.To, "\rsampling: %.1fs%s, %d samples; Ctrl-C ends early ", elapsed.Seconds(), of, snapshots)
}

// Clear removes the line.
func (p *Progress) Clear() {
	if p.shown {
		fmt.Fprint(p.To, "\r\x1b[K")
		p.shown = false
	}
}
