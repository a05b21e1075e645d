// Package signals says what this program does when it is interrupted (Ctrl-C) and when the
// terminal stops it (Ctrl-Z).
package signals

import (
	"context"
	"sync/atomic"
	"time"
)

// A first signal ends a capture early, with its report. But what this program waits for
// then may never come: a file system that does not answer, say. So it ends soon after,
// whatever it waits for, unless it is at work.

const (
	Grace     = 1500 * time.Millisecond // from the signal on
	lookEvery = 250 * time.Millisecond  // whether it is at work
	atWork    = 3 * time.Millisecond    // of a processor, in that time
)

// Deadline ends this program after a first signal.
type Deadline struct {
	over atomic.Bool // what is waited for is known, and no reason to end
}

// Lift has nothing ended any more: a second signal does that.
func (d *Deadline) Lift() { d.over.Store(true) }

// Await waits for the signal, and calls end this program where nothing follows from it.
func (d *Deadline) Await(ctx context.Context, end func()) {
	context.AfterFunc(ctx, func() {
		time.Sleep(Grace - lookEvery)
		for {
			before := processorTime()
			time.Sleep(lookEvery)
			if d.over.Load() {
				return
			}
			if processorTime()-before < atWork {
				end()
			}
		}
	})
}
