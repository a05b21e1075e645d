package task

import (
	"testing"
	"time"
)

const many = 10 // threads that are ready, of 2 processors

// rounds lets c choose n times, while one thread after another takes d, and
// counts how often it chose that.
func rounds(c *choice, n, ready int, d time.Duration) (each int) {
	for range n {
		if c.next(ready) == SuspendThread {
			c.took(d)
			each++
		}
	}
	return each
}

func TestSlowRoundsAreGivenUp(t *testing.T) {
	c := newChoice(10*time.Millisecond, 2)
	if n := rounds(c, 100, many, 5*time.Millisecond); n != 100 {
		t.Errorf("%d of 100 fast rounds one after another", n)
	}
	if n := rounds(c, 1000, many, 40*time.Millisecond); n < 2 || n > 30 {
		t.Errorf("%d of 1000 slow rounds one after another", n)
	}
	rounds(c, longPause+1, many, time.Millisecond)
	if n := rounds(c, 100, many, time.Millisecond); n != 100 {
		t.Errorf("%d of 100 rounds one after another when they are fast again", n)
	}
}

func TestOneSlowRoundIsBorne(t *testing.T) {
	c := newChoice(time.Millisecond, 2)
	rounds(c, 10, many, 200*time.Microsecond)
	c.took(time.Second)
	if c.next(many) != SuspendThread {
		t.Error("given up after one slow round")
	}
	if n := rounds(c, 10, many, 200*time.Microsecond); n != 10 {
		t.Errorf("%d of 10", n)
	}
}

func TestFewReadyThreadsAreStoppedInTurn(t *testing.T) {
	c := newChoice(time.Millisecond, 2)
	if n := rounds(c, 100, 3, time.Second); n != 100 {
		t.Errorf("%d of 100 slow rounds of few threads", n)
	}
	rounds(c, 100, many, time.Second)
	if n := rounds(c, 100, 0, time.Millisecond); n < 90 {
		t.Errorf("%d of 100 after many threads became few", n)
	}
}

func TestSlowStopsOfAllAreGivenUp(t *testing.T) {
	c := newChoice(time.Millisecond, 2)
	for c.next(many) == SuspendThread {
		c.took(5 * time.Millisecond)
	}
	for range firstPause / 2 {
		c.addStop(200 * time.Microsecond)
	}
	if c.next(many) != SuspendTogether {
		t.Error("quick stops of all were given up")
	}
	for range 2 * weight {
		c.addStop(300 * time.Microsecond)
	}
	if n := rounds(c, 1000, many, 5*time.Millisecond); n != 1000 {
		t.Errorf("%d of 1000 one after another when all would stand for 0.3 of the time", n)
	}
}
