//go:build !linux

package task

import "time"

// timer does nothing: a clock's own sleep is the cheapest on these systems.
type timer struct{}

func newTimer(Clock) *timer { return &timer{} }

func (timer) sleepUntil(time.Duration) bool { return false }
func (timer) cancel()                       {}
func (timer) close() error                  { return nil }
