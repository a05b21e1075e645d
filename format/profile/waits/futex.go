package waits

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// From futex(2): the mask of the operation without flags, and the operations for which the
// kernel keeps the owner in the word (include/uapi/linux/futex.h).
const (
	futexCommand = 0x7f
	futexLockPI  = 6
	futexLockPI2 = 13
	futexTID     = 0x3fffffff // FUTEX_TID_MASK
)

// futex describes the object of a futex, from the function of the C library that waits for
// it. If that is unknown, it gives the address.
func (f *Finder) futex(w *profile.Wait, c *call, t *task.Thread) {
	word := task.Addr(c.Args[0])
	w.Object = fmt.Sprintf("futex %v", word)
	switch {
	case f.info.Arch == task.I386: // its locks have another layout
	case f.rust(w, c):
	case f.gil(w, word):
	case f.within(c.frames, condFunctions) != "" && f.within(c.frames, mutexFunctions) == "":
		w.Object = fmt.Sprintf("condition variable (futex %v)", word)
	case f.within(c.frames, semFunctions) != "":
		w.Object = fmt.Sprintf("semaphore %v", word)
	case f.within(c.frames, onceFunctions) != "":
		w.Object = fmt.Sprintf("pthread_once %v", word)
	case f.within(c.frames, joinFunctions) != "":
		f.join(w, c, t)
	case f.within(c.frames, readFunctions) != "":
		f.readWrite(w, c, t, readerBase(word, c.Args[2]))
	case f.within(c.frames, writeFunctions) != "":
		f.readWrite(w, c, t, writerBase(word))
	case f.within(c.frames, mutexFunctions) != "" && givenUp(c.Args):
		w.Object = "for ever, as the kernel refused a mutex: its owner has ended, or it would be a deadlock"
	case f.within(c.frames, mutexFunctions) != "":
		f.mutex(w, c, t)
	}
}

// rust describes the object of a futex, if a thread waits for it in Rust's standard library, and reports
// whether it does. The locks of that library do not record their holder (library/std/src/sys/sync/*/futex.rs).
func (f *Finder) rust(w *profile.Wait, c *call) bool {
	if f.images == nil {
		return false
	}
	frames := c.frames[:min(len(c.frames), maxFrames)]
	for i := range frames {
		function := f.located(frames, i).function
		if inner := strings.TrimPrefix(function, "<"); !strings.HasPrefix(inner, "std::sys::") && !strings.HasPrefix(inner, "std::sync::") {
			continue
		}
		for name := range names(function) {
			if is, ok := rustFunctions()[name]; ok {
				is.describe(w, task.Addr(c.Args[0]))
				return true
			}
		}
	}
	return false
}

// rustWait is what a function of Rust's standard library waits for.
type rustWait struct {
	lock   profile.LockKind
	object string
}

const noHolder = "(Rust records no holder)"

// rustFunctions are functions that wait, with as many namespaces as distinguish them.
var rustFunctions = sync.OnceValue(func() map[string]rustWait {
	return map[string]rustWait{
		"Mutex::lock_contended":          {profile.Mutex, noHolder},
		"RwLock::read_contended":         {profile.ReadWrite, noHolder},
		"RwLock::write_contended":        {profile.ReadWrite, noHolder},
		"Condvar::wait_optional_timeout": {profile.NoLock, "condition variable"},
		"Condvar::wait":                  {profile.NoLock, "condition variable"},
		"Condvar::wait_timeout":          {profile.NoLock, "condition variable"},
		"Once::call":                     {profile.NoLock, "one-time call"},
		"Once::wait":                     {profile.NoLock, "one-time call"},
	}
})

func (r rustWait) describe(w *profile.Wait, word task.Addr) {
	w.Lock, w.Object = r.lock, r.object
	if r.lock == profile.NoLock {
		w.Object += fmt.Sprintf(" (futex %v)", word)
		return
	}
	w.Addr = word
}

// gil describes the wait for an interpreter's lock, and reports whether it is one.
func (f *Finder) gil(w *profile.Wait, word task.Addr) bool {
	if f.runtimes == nil {
		return false
	}
	lock, owner, ok := f.runtimes.LockOf(word)
	if !ok {
		return false
	}
	w.Lock, w.Addr, w.Object = profile.GIL, lock, ""
	if owner != 0 && f.live(owner) {
		w.Owner = owner
	}
	return true
}

// lockSize is the number of bytes to read of a lock, the size of the smallest one.
const lockSize = 40

// readLock reads the start of a lock. It returns false unless two readings agree and the
// thread still waits after them.
func (f *Finder) readLock(a task.Addr, t *task.Thread, c *call) ([lockSize]byte, bool) {
	var b, again [lockSize]byte
	m := f.process.Memory()
	if task.ReadFull(m, b[:], a) != nil || task.ReadFull(m, again[:], a) != nil {
		return b, false
	}
	return b, b == again && f.stillIn(t, c)
}

// The fields of glibc's struct __pthread_mutex_s, on x86_64 and aarch64 alike
// (sysdeps/x86/nptl/bits/struct_mutex.h, sysdeps/nptl/bits/struct_mutex.h).
const (
	mutexLock  = 0  // int: 0 free, 1 held, 2 held and waited for; the owner, of robust and PI mutexes
	mutexOwner = 8  // int: the holder's thread id
	mutexKind  = 16 // int: type, protocol and robustness
)

// Bits of a mutex's kind, and the mask of all in use (nptl/pthreadP.h).
const (
	kindRobust = 16
	kindPI     = 32
	kindShared = 128
	kindBits   = 0x3ff
)

// givenUp reports whether a thread in pthread_mutex_lock waits for no lock: the word is 0,
// as that of a contended lock never is. If the kernel refuses a priority-inheriting mutex,
// glibc waits for ever on a word of its own (nptl/pthread_mutex_lock.c, "Delay the thread
// indefinitely").
func givenUp(args [6]uint64) bool {
	op := args[1] & futexCommand
	return op != futexLockPI && op != futexLockPI2 && uint32(args[2]) == 0
}

// mutex describes a mutex. It is for threads that wait for a futex in pthread_mutex_lock;
// the futex is then the first word of the mutex.
func (f *Finder) mutex(w *profile.Wait, c *call, t *task.Thread) {
	a := task.Addr(c.Args[0])
	w.Lock, w.Addr, w.Object = profile.Mutex, a, ""
	owner, shared := f.ownerOfMutex(a, c, t)
	f.own(w, owner)
	if w.Owner == 0 && !shared {
		f.setGoneOwner(w, owner, c, t)
	}
	if shared {
		asked, thread := *c, *t
		f.queryOwner(w, owner, func() uint64 {
			now, _ := f.ownerOfMutex(a, &asked, &thread)
			return now
		})
	}
}

// ownerOfMutex returns the number of the thread that holds a mutex, 0 if unknown, and
// whether the mutex is shared between processes.
func (f *Finder) ownerOfMutex(a task.Addr, c *call, t *task.Thread) (owner uint64, shared bool) {
	b, ok := f.readLock(a, t, c)
	word := binary.LittleEndian.Uint32(b[mutexLock:])
	kind := binary.LittleEndian.Uint32(b[mutexKind:])
	switch {
	case !ok || word == 0 || kind&^kindBits != 0 || a%8 != 0:
		return 0, false
	case kind&(kindRobust|kindPI) != 0:
		return uint64(word & futexTID), kind&kindShared != 0
	case word > 2:
		return 0, false // it is not glibc's
	}
	return uint64(binary.LittleEndian.Uint32(b[mutexOwner:])), kind&kindShared != 0
}

// The fields of glibc's struct __pthread_rwlock_arch_t on both architectures
// (sysdeps/x86/nptl/bits/struct_rwlock.h, sysdeps/nptl/bits/struct_rwlock.h).
const (
	rwReaders     = 0 // unsigned int: readers << 3, waiting readers 4, write-locked 2, write phase 1
	rwPhaseFutex  = 8
	rwWriterFutex = 12
	rwWriter      = 24 // int: thread id of the writer that holds it
	rwShared      = 28 // int: not 0 where processes may share it
)

// Bits of rwReaders, and of the futex words (nptl/pthread_rwlock_common.c).
const (
	rwWritePhase  = 1
	rwReaderShift = 3
	rwPhaseValue  = 3 // the value that a reader expects in the phase futex while a writer holds the lock
)

// readerBase returns the address of the lock for the futex that a reader waits for: usually
// the phase futex, but the readers' count if writers are preferred.
func readerBase(word task.Addr, expected uint64) task.Addr {
	if uint32(expected) == rwPhaseValue {
		return word - rwPhaseFutex
	}
	return word
}

// writerBase returns the address of the lock for one of the two futexes that writers wait
// for. The lock is aligned to 8.
func writerBase(word task.Addr) task.Addr {
	if word%8 == rwWriterFutex%8 {
		return word - rwWriterFutex
	}
	return word - rwPhaseFutex
}

func (f *Finder) readWrite(w *profile.Wait, c *call, t *task.Thread, base task.Addr) {
	w.Lock, w.Addr, w.Object = profile.ReadWrite, base, ""
	owner, readers, shared := f.holdersOf(base, c, t)
	w.Readers = readers
	f.own(w, owner)
	if shared {
		asked, thread := *c, *t
		f.queryOwner(w, owner, func() uint64 {
			now, _, _ := f.holdersOf(base, &asked, &thread)
			return now
		})
	}
}

// holdersOf returns the number of the thread that holds a read-write lock for writing (0 if
// none, or unknown), the number of readers that hold it, and whether it is shared between
// processes.
func (f *Finder) holdersOf(base task.Addr, c *call, t *task.Thread) (owner uint64, readers int, shared bool) {
	b, ok := f.readLock(base, t, c)
	if !ok || base%8 != 0 {
		return 0, 0, false
	}
	word := binary.LittleEndian.Uint32(b[rwReaders:])
	if word&rwWritePhase == 0 {
		return 0, int(word >> rwReaderShift), false
	}
	return uint64(binary.LittleEndian.Uint32(b[rwWriter:])), 0, binary.LittleEndian.Uint32(b[rwShared:]) != 0
}

// join describes the wait of a thread for the end of another. The value that it expects in
// the futex is the other's id (nptl/pthread_join_common.c).
func (f *Finder) join(w *profile.Wait, c *call, t *task.Thread) {
	var b [4]byte
	expected := uint32(c.Args[2])
	if task.ReadFull(f.process.Memory(), b[:], task.Addr(c.Args[0])) != nil ||
		binary.LittleEndian.Uint32(b[:]) != expected || !f.stillIn(t, c) {
		return
	}
	if f.own(w, uint64(expected)); w.Owner != 0 {
		w.Lock, w.Object = profile.ThreadEnd, ""
	}
}

// own sets the owner by the number that the target uses for it, if that is a live thread.
func (f *Finder) own(w *profile.Wait, number uint64) {
	if number == 0 || number > futexTID || f.calls == nil {
		return
	}
	id, ok := f.calls.LocalThread(int(number))
	if !ok {
		return
	}
	if f.live(id) {
		w.Owner = id
	}
}
