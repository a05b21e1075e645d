package waits

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// idleness is how certain it is that a thread waiting in a call has nothing to do.
type idleness uint8

const (
	busy    idleness = iota // the thread waits for one particular event, such as a reply
	parked                  // probably idle unless it is the main thread: it waits for a condition, a time, a connection
	polling                 // a wait of run loops, but also of threads that wait for one reply
	idle                    // a wait of run loops only, for any event
)

// IsIdle reports whether a wait is in a call that only run loops make: one that returns on any event.
// It ignores the stack: see [ProvesIdle].
func IsIdle(w *profile.Wait) bool { return idlenessOf(w) == idle }

// IsParked reports whether a thread with that wait, other than the main thread, probably
// has nothing to do: it waits for no lock, thread or known other process.
func IsParked(w *profile.Wait) bool { return idlenessOf(w) >= parked && !w.WaitsForOther() }

// IsEndless reports whether a system call of Linux waits for a futex without a timeout, and whether
// only threads with the same memory can wake it there.
func IsEndless(arch task.Arch, s *task.Syscall) (endless, private bool) {
	c, _ := Lookup(task.Linux, arch, s.Number)
	if s.State != task.InCall || c.shape != futex || s.Args[futexTimeout] != 0 {
		return false, false
	}
	const wait, waitBitset, privateFlag = 0, 9, 128
	switch s.Args[1] & futexCommand {
	case wait, waitBitset, futexLockPI, futexLockPI2:
		return true, s.Args[1]&privateFlag != 0
	}
	return false, false
}

// futexTimeout is the index of the timeout in the arguments of futex.
const futexTimeout = 3

// IsForEvents reports whether a wait is for any event on several descriptors, or on all, as
// event loops wait.
func IsForEvents(w *profile.Wait) bool {
	if w == nil || w.Lock != profile.NoLock {
		return false
	}
	switch rowOf(w).shape {
	case epoll, pollSet, selectSets:
		return true
	}
	return w.Call == "select" || w.Call == "pselect6"
}

// IsForChild reports whether a wait is for a child process to end.
func IsForChild(w *profile.Wait) bool {
	if w == nil {
		return false
	}
	c := rowOf(w)
	return c.shape == child || c.shape == childID
}

// rowOf returns the row of a wait's call, by its name, since profiles have no call numbers.
func rowOf(w *profile.Wait) callRow {
	if row, ok := linuxCalls()[w.Call]; ok {
		return row
	}
	return darwinCalls()[w.Call]
}

// idlenessOf returns the idleness of a wait's call.
func idlenessOf(w *profile.Wait) idleness {
	if w == nil || w.Lock != profile.NoLock {
		return busy
	}
	c := rowOf(w)
	if shapes[c.shape].isMessage && !w.Receives {
		return busy
	}
	return c.idleness
}

// Kind classifies waits by whether a thread can be stuck in them.
type Kind uint8

// The kinds of waits. No call has the kind None or Stopped; these are for threads outside a
// call.
const (
	None    Kind = iota // no wait: the thread runs, or waits for a processor
	Loop                // the idle wait of a run loop
	Lock                // a wait probably for a lock, judged by the call alone, or for a page or a disk
	Other               // any other wait: idle in a thread without a run loop
	Stopped             // stopped by a signal or a debugger
)

// The values that waiters expect in the futex of a held lock: 2 for a mutex
// (nptl/lowlevellock.h), 3 for a read-write lock.
const (
	futexOfMutex     = 2
	futexOfReadWrite = 3
)

// Classify returns the kind of wait of a system call, judged by its number and arguments,
// and the call's name; empty if the call is unknown.
func Classify(os task.OS, arch task.Arch, s *task.Syscall) (Kind, string) {
	c, ok := Lookup(os, arch, s.Number)
	if !ok {
		return Other, ""
	}
	return c.kind(s.Args), c.Name
}

// ClassifyNamed is Classify for a Linux call given by name.
func ClassifyNamed(name string, args [6]uint64) Kind {
	return linuxCalls()[name].kind(args)
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

// AtLoopCall reports whether a thread that runs is about to wait as run loops do, or is just
// back from that: its innermost function is the C library's for such a call or, on Darwin,
// its registers have the call's number.
func AtLoopCall(p task.Process, r *task.Registers, function string) bool {
	f := Finder{process: p, info: p.Info()}
	if f.info.OS == task.Darwin {
		return f.atDarwinLoopCall(r, function)
	}
	return ClassifyNamed(undecorated(function), [6]uint64{}) == Loop
}
