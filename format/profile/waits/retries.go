package waits

import "time"

const (
	retryTimeout = 20 * time.Millisecond
	retryPause   = 500 * time.Microsecond
)

// Retries bounds the time in which threads that a stop has interrupted in a call are expected
// to be back in it, for all threads together.
type Retries struct{ left time.Duration }

// NewRetries returns the full time.
func NewRetries() Retries { return Retries{retryTimeout} }

// Pause waits before another try, and reports whether there was time left for one.
func (r *Retries) Pause() bool {
	if r.left <= 0 {
		return false
	}
	r.left -= retryPause
	time.Sleep(retryPause)
	return true
}
