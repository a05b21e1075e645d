// Package signals handles the signals that interrupt this program (Ctrl-C) or stop it
// (Ctrl-Z).
package signals

import (
	"context"
	"sync/atomic"
	"time"

	"stacksnap/format/profile/capture"
)

// A first signal ends a capture early, with its report. If this program then waits for
// something that may never come, such as a file system that does not answer, it ends
// itself after Grace, unless it uses CPU time.

const (
	Grace     = 1500 * time.Millisecond // time from the signal until the program ends itself
	checkTime = 250 * time.Millisecond  // time between checks of the CPU time
	atWork    = 3 * time.Millisecond    // CPU time in checkTime that counts as working
)

// Deadline ends this program after a first signal.
type Deadline struct {
	over atomic.Bool // true when the deadline is lifted
}

// Lift cancels the deadline: only a second signal ends the program from then on.
func (d *Deadline) Lift() { d.over.Store(true) }

// Await calls end once Grace has passed after the end of ctx, but only while this program uses
// no CPU time, and never after the deadline was lifted. It does not block.
func (d *Deadline) Await(ctx context.Context, end func()) {
	context.AfterFunc(ctx, func() {
		time.Sleep(Grace - checkTime)
		for {
			before := capture.OwnCPU()
			time.Sleep(checkTime)
			if d.over.Load() {
				return
			}
			if capture.OwnCPU()-before < atWork {
				end()
			}
		}
	})
}
