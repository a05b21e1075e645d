package waits

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// idleness is how surely a thread that waits in a call has nothing to do.
type idleness uint8

const (
	busy    idleness = iota // it waits for one thing, such as an answer
	parked                  // as threads do that have nothing to do, but for the main one: for a condition, a time, a connection
	polling                 // as run loops do, and others that wait for one answer
	idle                    // as only run loops do, for whatever comes next
)

// IsIdle reports whether a thread that waits so has nothing to do: it waits for whatever
// comes next, as only run loops do.
func IsIdle(w *profile.Wait) bool { return idlenessOf(w) == idle }

// IsParked reports whether a thread besides the main one that waits so probably has
// nothing to do: it waits for no lock, for no thread and for no process that is known.
func IsParked(w *profile.Wait) bool { return idlenessOf(w) >= parked && w.Peer.PID == 0 }

// idlenessOf is that of a wait's call, which goes by its name: profiles keep no number.
func idlenessOf(w *profile.Wait) idleness {
	if w == nil || w.Lock != profile.NoLock {
		return busy
	}
	c, ok := linuxCalls[w.Call]
	if !ok {
		c = darwinCalls[w.Call]
	}
	if shapes[c.shape].isMessage && !w.Receives {
		return busy
	}
	return c.idleness
}

// Kind is what a thread's wait means for whether the thread is stuck.
type Kind uint8

// The kinds of waits. No call is None or Stopped: who observes a thread says so of one that is
// in none.
const (
	None    Kind = iota // it runs, or waits for a processor
	Loop                // of a run loop: the thread has nothing to do
	Lock                // for a lock, as far as the call alone tells, or for a page or a disk
	Other               // idle, unless the thread has a run loop
	Stopped             // by a signal or a debugger: what it would do is not known
)

// The values that glibc's and the kernel's locks expect in a futex while they
// are held: 2 of a mutex (nptl/lowlevellock.h), 3 of a read-write lock.
const (
	futexOfMutex     = 2
	futexOfReadWrite = 3
)

// Classify returns the kind of wait that a system call is, judged by its number and
// arguments without the stack, and its name. The name of an unknown call is empty.
func Classify(os task.OS, arch task.Arch, s *task.Syscall) (Kind, string) {
	c, ok := Lookup(os, arch, s.Number)
	if !ok {
		return Other, ""
	}
	return c.kind(s.Args), c.Name
}

// ClassifyNamed is Classify for a Linux call of which only the name is known.
func ClassifyNamed(name string, args [6]uint64) Kind {
	return linuxCalls[name].kind(args)
}

func (c callRow) kind(args [6]uint64) Kind {
	switch {
	case c.Idle(args):
		return Loop
	case shapes[c.shape].forLock != nil && shapes[c.shape].forLock(args):
		return Lock
	}
	return Other
}

func futexLocks(args [6]uint64) bool {
	op, expected := args[1]&futexCommand, uint32(args[2])
	const wait, waitBitset = 0, 9
	return op == futexLockPI || op == futexLockPI2 ||
		(op == wait || op == waitBitset) && (expected == futexOfMutex || expected == futexOfReadWrite)
}

// NamesLoopCall reports whether a function of Linux's C library is that of a call in
// which run loops wait, by the rows of linuxCalls.
func NamesLoopCall(function string) bool {
	return ClassifyNamed(undecorated(function), [6]uint64{}) == Loop
}
