package managed

import (
	"stacksnap/task"
	"stacksnap/unwind/runtimes"
)

// readLocks reads the locks of a runtime as they are now.
func (r *Runtimes) readLocks(runtime int) []runtimes.Lock {
	return r.found[runtime].Locks(r.memory, r.byHandle)
}

// byHandle returns the number that a thread has for itself, by its pthread_t.
func (r *Runtimes) byHandle(handle task.Addr) (task.ThreadID, bool) {
	if r.os == task.Darwin && r.threads.handle == nil {
		return 0, false // no value in memory says which thread it is
	}
	return r.threads.byHandle(r.memory, handle)
}

// noteLocks reads the locks of all runtimes before a stop.
func (r *Runtimes) noteLocks() {
	r.locks = r.locks[:0]
	for i := range r.found {
		r.locks = append(r.locks, r.readLocks(i))
	}
}

// LockOf returns the runtime's lock that a thread waits for, by the word of the futex in which it
// does. The owner is known if the same thread has had the lock since before the last stop.
func (r *Runtimes) LockOf(word task.Addr) (lock task.Addr, owner task.ThreadID, ok bool) {
	if r == nil {
		return 0, 0, false
	}
	for runtime, locks := range r.locks {
		for _, before := range locks {
			if word >= before.From && word < before.To {
				return before.Addr, r.stillOwns(runtime, &before), true
			}
		}
	}
	return 0, 0, false
}

// stillOwns returns the owner of a lock that no other thread has had since; 0 if there is none.
func (r *Runtimes) stillOwns(runtime int, before *runtimes.Lock) task.ThreadID {
	if before.Owner == 0 {
		return 0
	}
	for _, now := range r.readLocks(runtime) {
		if now == *before {
			id, _ := r.threads.outer(now.Owner)
			return id
		}
	}
	return 0
}
