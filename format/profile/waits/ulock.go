package waits

import (
	"fmt"
	"sync"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// Of __ulock_wait (bsd/sys/ulock.h): the mask of the operation without flags, and the
// operation whose word has its owner.
const (
	ulockCommand = 0xff
	ulockUnfair  = 2 // UL_UNFAIR_LOCK
)

// ulockFunctions maps functions of Darwin's libraries that wait by __ulock_wait to what they
// wait for (libpthread-539, src/pthread_cancelable.c, pthread_mutex.c, pthread_cond.c;
// libplatform-375, src/os/lock.c; libdispatch-1542, src/semaphore.c,
// src/shims/lock.c). Their names are as [Finder.functions] gives them.
var ulockFunctions = sync.OnceValue(func() map[string]ulockWait {
	return map[string]ulockWait{
		"pthread_joiner_wait": waitsForJoin, "pthread_join": waitsForJoin,
		"dispatch_once_wait": waitsForOnce, "os_once_gate_wait": waitsForOnce,
		"os_unfair_lock_lock_slow": waitsForUnfair, "os_unfair_lock_lock_no_tsd_slow": waitsForUnfair,
		"os_unfair_recursive_lock_lock_slow": waitsForUnfair, "dispatch_unfair_lock_lock_slow": waitsForUnfair,
		"pthread_mutex_ulock_lock_slow": waitsForMutex, "pthread_mutex_ulock_lock": waitsForMutex,
		"pthread_cond_wait": waitsForCondition, "pthread_cond_timedwait_relative_np": waitsForCondition,
		"dispatch_group_wait_slow": waitsForGroup, "dispatch_group_wait": waitsForGroup,
		"dispatch_block_wait":       waitsForGroup,
		"DISPATCH_WAIT_FOR_QUEUE__": waitsForQueue,
	}
})

// ulockWait is what a function waits for.
type ulockWait uint8

const (
	waitsForWord ulockWait = iota
	waitsForJoin
	waitsForOnce
	waitsForUnfair
	waitsForMutex
	waitsForCondition
	waitsForGroup
	waitsForQueue
)

// The offsets of ulock in struct pthread_mutex_s (libpthread-539, src/types_internal.h) and
// of dg_gen in struct dispatch_group_s (libdispatch-1542, src/semaphore_internal.h), in
// 64-bit programs.
const (
	ulockOffset = 24
	groupOffset = 0x34
)

// ulockIsOwned reports whether the word has the name of its owner, as that of a lock does.
func ulockIsOwned(args [6]uint64) bool { return args[0]&ulockCommand == ulockUnfair }

// ulock describes the object of a word, from the function of the library that waits for it.
// If that is unknown, it gives the address.
func (f *Finder) ulock(w *profile.Wait, c *call, t *task.Thread) {
	word, owned := task.Addr(c.Args[1]), ulockIsOwned(c.Args)
	if f.queueByEvent(w, c, t, word) {
		return
	}
	switch what := f.ulockWait(c); {
	case owned:
		f.ownedWord(w, c, t, what)
	case what == waitsForCondition:
		w.Object = fmt.Sprintf("condition variable (word %v)", word)
	case what == waitsForQueue:
		w.Object = "a dispatch queue"
	case what == waitsForGroup:
		w.Object = fmt.Sprintf("dispatch group %v", word-groupOffset)
	default:
		w.Object = fmt.Sprintf("word %v", word)
	}
}

// ulockWait returns what the innermost known function waits for.
func (f *Finder) ulockWait(c *call) ulockWait {
	for _, name := range f.functions(c.frames) {
		if what, ok := ulockFunctions()[name]; ok {
			return what
		}
	}
	return waitsForWord
}

// ownedWord describes a wait for a word that contains the target's name for the thread port
// of an owner: the holder of a lock, the thread that runs a once block, or, at a thread's
// exit gate, the thread that must end (libplatform, src/os/lock.c; libpthread,
// _pthread_joiner_wait). A thread is never its own owner, as the library then aborts the
// program.
func (f *Finder) ownedWord(w *profile.Wait, c *call, t *task.Thread, what ulockWait) {
	word := task.Addr(c.Args[1])
	owner := f.wordOwner(word, t, c)
	switch what {
	case waitsForJoin:
		w.Object = "a thread to end"
		if owner != 0 {
			w.Lock, w.Object = profile.ThreadEnd, ""
		}
	case waitsForOnce:
		w.Lock, w.Addr = profile.Once, word
	case waitsForMutex:
		w.Lock, w.Addr = profile.Mutex, word-ulockOffset
	default:
		w.Lock, w.Addr = profile.UnfairLock, word
	}
	w.Owner = owner
}

func (f *Finder) wordOwner(a task.Addr, t *task.Thread, c *call) task.ThreadID {
	word, ok := f.number(a, 4)
	if !ok || word == 0 {
		return 0
	}
	id := f.byPort(uint32(word))
	if id == 0 || id == t.ID || !f.stillIn(t, c) {
		return 0
	}
	return id
}
