package task

import (
	"testing"
	"time"
)

func TestAlarm(t *testing.T) {
	clock := SystemClock()
	a := NewAlarm(clock)
	defer func() { _ = a.Close() }()
	for _, ahead := range []time.Duration{-time.Hour, 0, time.Millisecond, 3 * time.Millisecond} {
		at := clock.Now() + ahead
		for clock.Now() < at {
			a.SleepUntil(at)
		}
	}
	a.SleepUntil(-1) // long ago by any clock
}

// TestAlarmIsCancelled would sleep for an hour otherwise.
func TestAlarmIsCancelled(t *testing.T) {
	clock := SystemClock()
	a := NewAlarm(clock)
	defer func() { _ = a.Close() }()
	began, ended := make(chan bool), make(chan bool)
	cancelled := make(chan bool)
	go func() {
		defer close(ended)
		close(began)
		for at := clock.Now() + time.Hour; ; {
			a.SleepUntil(at)
			select {
			case <-cancelled:
				return
			default:
			}
		}
	}()
	<-began
	close(cancelled)
	a.Cancel()
	<-ended
	a.SleepUntil(clock.Now() + time.Hour) // and ever after
}

// madeClock goes on only while somebody sleeps.
type madeClock struct{ now time.Duration }

func (c *madeClock) Now() time.Duration         { return c.now }
func (c *madeClock) SleepUntil(t time.Duration) { c.now = max(c.now, t) }
func (c *madeClock) Asleep() time.Duration      { return 0 }

func TestAlarmOfAnotherClock(t *testing.T) {
	c := &madeClock{}
	a := NewAlarm(c)
	a.SleepUntil(time.Hour)
	if c.now != longestNap {
		t.Errorf("slept %v at once, want %v", c.now, longestNap)
	}
	a.SleepUntil(c.now + 1)
	if c.now != longestNap+1 {
		t.Errorf("slept until %v", c.now)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

func TestAlarmAllocatesNothing(t *testing.T) {
	clock := SystemClock()
	a := NewAlarm(clock)
	defer func() { _ = a.Close() }()
	if n := testing.AllocsPerRun(20, func() { a.SleepUntil(clock.Now() + time.Millisecond) }); n != 0 {
		t.Errorf("%v allocations in each sleep", n)
	}
}
