package words

import (
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestPythonWait: the first line and the thread's line say what a Python program waits for.
func TestPythonWait(t *testing.T) {
	python := &profile.Image{Path: "CPython 3.12.1", Runtime: true}
	inner := &profile.Node{Location: profile.Location{Function: "lock_PyThread_acquire_lock", Image: &profile.Image{Path: "/usr/lib/libpython3.12.so"}}, Count: 1, Self: 1}
	own := &profile.Node{Location: profile.Location{Function: "transfer", File: "/srv/dead.py", Line: 6, Image: python}, Count: 1, Children: []*profile.Node{inner}}
	th := waiter(1, task.Sleeping, &profile.Wait{Call: "futex", Object: "semaphore 0x10"})
	th.Roots = []*profile.Node{own}
	if got, want := Headline(oneOf(th)), "main thread waits for a threading.Lock, called by transfer (dead.py:6)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	second, third := *th, *th
	second.ID, third.ID = 2, 3
	if got, want := Headline(oneOf(th, &second, &third)), "3 of 3 threads wait for a threading.Lock, called by transfer (dead.py:6), the main thread among them"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p := Printer{Profile: oneOf(th)}
	if got, want := p.Waits(th)[0], "waits for a threading.Lock, in futex: semaphore 0x10"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
