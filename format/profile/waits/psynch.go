package waits

import (
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// threadIDOffset is the offset of m_tid in struct pthread_mutex_s and of rw_tid in struct
// pthread_rwlock_s. The holder's thread id is in the first 64-bit aligned word from there
// on (libpthread-539, src/types_internal.h; MUTEX_GETTID_ADDR, src/pthread_mutex.c).
const threadIDOffset = 24

// psynch describes a lock of libpthread, whose address is the call's first argument. If the
// waiting thread is the holder itself, it has got the lock since it was stopped; it is the
// owner only if it went to sleep so, which the fourth argument of psynch_mutexwait shows.
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

// number reads an integer of 4 or 8 bytes from the target.
func (f *Finder) number(a task.Addr, size int) (uint64, bool) {
	v, err := task.ReadPointer(f.process.Memory(), a, size)
	return uint64(v), err == nil
}
