package task

import "time"

// Observer is a live [Process] whose system can copy the registers and the stack of
// a thread while it runs.
type Observer interface {
	// Observe has it do so, for a sampling of that interval, until the process is
	// closed. A capture by [SuspendNone] of a thread that runs is then the newest of
	// its copies: see [Thread].Age. The error says in one line why that cannot be had,
	// and what to do.
	Observe(interval time.Duration) error
}

// Observe is p's, where it is an [Observer].
func Observe(p Process, interval time.Duration) error {
	if o, ok := p.(Observer); ok {
		return o.Observe(interval)
	}
	return nil
}
