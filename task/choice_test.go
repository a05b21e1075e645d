package task

import (
	"testing"
	"time"
)

// rounds lets c choose n times, while one thread after another takes d, and
// counts how often it chose that.
func rounds(c *choice, n int, d time.Duration) (each int) {
	for range n {
		if c.next() == SuspendThread {
			c.took(d)
			each++
		}
	}
	return each
}

func TestSlowRoundsAreGivenUp(t *testing.T) {
	c := newChoice(10 * time.Millisecond)
	if n := rounds(c, 100, 5*time.Millisecond); n != 100 {
		t.Errorf("%d of 100 fast rounds one after another", n)
	}
	if n := rounds(c, 1000, 40*time.Millisecond); n < 2 || n > 30 {
		t.Errorf("%d of 1000 slow rounds one after another", n)
	}
	rounds(c, longPause+1, time.Millisecond)
	if n := rounds(c, 100, time.Millisecond); n != 100 {
		t.Errorf("%d of 100 rounds one after another when they are fast again", n)
	}
}

func TestOneSlowRoundIsBorne(t *testing.T) {
	c := newChoice(time.Millisecond)
	rounds(c, 10, 200*time.Microsecond)
	c.took(time.Second)
	if c.next() != SuspendThread {
		t.Error("given up after one slow round")
	}
	if n := rounds(c, 10, 200*time.Microsecond); n != 10 {
		t.Errorf("%d of 10", n)
	}
}
