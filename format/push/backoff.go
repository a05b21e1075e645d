package push

import (
	"context"
	"math/rand/v2"
	"time"
)

// The bounds of the time between attempts. It doubles from one attempt to the next.
const (
	firstWait = time.Second
	lastWait  = time.Minute
)

// backoff counts the failures since the server last answered.
type backoff struct{ failures int }

// next returns the time to wait before the next attempt, at least wanted, which is the
// server's wish. Up to half of it is random, so that clients do not return all at once.
func (b *backoff) next(wanted time.Duration) time.Duration {
	whole := min(firstWait<<min(b.failures, 16), lastWait)
	b.failures++
	return max(wanted, whole/2+rand.N(whole/2+1))
}

// pause waits for d, and returns false if ctx is done before.
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
