package push

import (
	"context"
	"math/rand/v2"
	"time"
)

// How long a server is left alone that is not ready: twice as long each time.
const (
	firstWait = time.Second
	lastWait  = time.Minute
)

// backoff is how often in a row a server was not ready.
type backoff struct{ failures int }

// next is how long to wait now, at least as long as the server wants. Up to half of it is
// left to chance: those that saw the server go away do not all come back at once.
func (b *backoff) next(wanted time.Duration) time.Duration {
	whole := min(firstWait<<min(b.failures, 16), lastWait)
	b.failures++
	return max(wanted, whole/2+rand.N(whole/2+1))
}

// pause waits, and reports whether it was for the whole time.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
