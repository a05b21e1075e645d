package waits

import "stacksnap/task"

// mostThreads is more than any number of a thread (include/linux/threads.h, PID_MAX_LIMIT).
const mostThreads = 1 << 22

// goneOwner returns the thread that a mutex names as its owner where the target has no such
// thread: it has ended, or it is of the process that the target was forked from. It returns 0
// if that is not certain, as in a container, whose numbers of threads are other ones.
func (f *Finder) goneOwner(a task.Addr, number uint64, c *call, t *task.Thread) task.ThreadID {
	id := task.ThreadID(number)
	switch {
	case number == 0 || number >= mostThreads || f.calls == nil || !f.info.Live:
		return 0
	case f.gone[a] == id:
		return id
	case !f.has(uint64(t.ID)) || f.has(number):
		return 0
	}
	// A mutex names its owner from the first instructions after locking to the last ones before
	// unlocking. One that names the same thread still, after the list of threads was read
	// without it, was not freed by it.
	again, shared := f.ownerOfMutex(a, c, t)
	if again != number || shared || f.has(number) {
		return 0
	}
	if f.gone == nil {
		f.gone = map[task.Addr]task.ThreadID{}
	}
	f.gone[a] = id
	return id
}

// has reports whether the target has a thread whose number is the same for the target and for
// us.
func (f *Finder) has(number uint64) bool {
	id, ok := f.calls.LocalThread(int(number))
	return ok && id == task.ThreadID(number)
}
