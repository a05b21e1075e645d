package waits

import (
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// threadIDOffset is that of m_tid in struct pthread_mutex_s and of rw_tid in
// struct pthread_rwlock_s: the thread id of the holder, in the 64-bit aligned
// words from there on (libpthread-539, src/types_internal.h;
// MUTEX_GETTID_ADDR, src/pthread_mutex.c).
const threadIDOffset = 24

// psynch reads a lock of libpthread whose address is the call's first argument.
// A thread that holds what it waits for has got it since it was stopped, unless
// it went to sleep with itself as the holder, which is psynch_mutexwait's fourth
// argument.
func (f *Finder) psynch(w *profile.Wait, c *call, t *task.Thread) {
	a := task.Addr(c.Args[0])
	switch c.shape {
	case psynchCond:
		w.Object = fmt.Sprintf("condition variable %v", a)
		return
	case psynchRW:
		w.Lock = profile.ReadWrite
	default:
		w.Lock = profile.Mutex
	}
	w.Addr = a
	id, ok := f.number((a+threadIDOffset+7)&^7, 8)
	if !ok || id == 0 || !f.live(task.ThreadID(id)) || task.ThreadID(id) == t.ID && c.Args[3] != id {
		return
	}
	if f.stillIn(t, c) {
		w.Owner = task.ThreadID(id)
	}
}

// number reads a number of 4 or 8 bytes.
func (f *Finder) number(a task.Addr, size int) (uint64, bool) {
	v, err := task.ReadPointer(f.process.Memory(), a, size)
	return uint64(v), err == nil
}
