package waits

import "time"

const (
	retryTimeout = 20 * time.Millisecond
	retryPause   = 500 * time.Microsecond
)

// Retries is the time left, for all threads together, to wait for threads to be back in the
// calls that a stop has interrupted.
type Retries struct{ left time.Duration }

// NewRetries returns the full time.
func NewRetries() Retries { return Retries{retryTimeout} }

// Pause waits before another try, and returns false if no time is left.
func (r *Retries) Pause() bool {
	if r.left <= 0 {
		return false
	}
	r.left -= retryPause
	time.Sleep(retryPause)
	return true
}
