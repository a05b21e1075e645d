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
	if got, want := Headline(oneOf(th, &second, &third)), "3 of 3 threads wait for a threading.Lock, called by transfer (dead.py:6), the main thread among them; Python does not record who holds it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p := Printer{Profile: oneOf(th)}
	if got, want := p.Waits(th)[0], "waits for a threading.Lock, in futex: semaphore 0x10"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestHolds: the first line says which lock of the busy or blocked main thread others wait for.
func TestHolds(t *testing.T) {
	gil := func(id task.ThreadID, owner task.ThreadID) *profile.Thread {
		return waiter(id, task.Sleeping, &profile.Wait{Call: "futex", Lock: profile.GIL, Addr: 8, Owner: owner})
	}
	asleep := waiter(1, task.Sleeping, &profile.Wait{Call: "nanosleep"})
	both := waiter(1, task.Sleeping, &profile.Wait{Call: "futex", Lock: profile.GIL, Addr: 8, Owner: 2})
	for want, p := range map[string]*profile.Profile{
		"main thread waits in nanosleep; it holds the GIL, waited for by 2 threads": oneOf(asleep, gil(2, 1), gil(3, 1)),
		"busy: main thread; it holds the GIL, waited for by 1 thread":               oneOf(waiter(1, task.Running, nil), gil(2, 1), gil(3, 7)),
		"main thread waits in nanosleep":                                            oneOf(asleep, waiter(2, task.Sleeping, &profile.Wait{Call: "futex", Lock: profile.ThreadEnd, Owner: 1})),
		"main thread waits for the GIL, held by thread 2":                           oneOf(both, gil(2, 1)),
	} {
		if got := Headline(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
