package waits

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// mostThreads is larger than any thread id (include/linux/threads.h, PID_MAX_LIMIT).
const mostThreads = 1 << 22

// goneOwner is the owner of a mutex, if it is not a thread of the target.
type goneOwner struct {
	id task.ThreadID
	task.Outsider
}

// setGoneOwner sets the thread that a mutex names as its owner if the target has no such thread:
// it has ended, or it belongs to the process that forked the target. It sets none if that is not
// certain, as in a container, which has other thread ids.
func (f *Finder) setGoneOwner(w *profile.Wait, number uint64, c *call, t *task.Thread) {
	if number == 0 || number >= mostThreads || f.calls == nil || !f.info.Live {
		return
	}
	id := task.ThreadID(number)
	if known, ok := f.gone[w.Addr]; ok && known.id == id {
		w.GoneOwner, w.Gone = id, known.Outsider
		return
	}
	if !f.has(uint64(t.ID)) || f.has(number) {
		return
	}
	// A mutex names its owner from the first instructions after locking to the last ones before
	// unlocking. If it still names the same thread after the list of threads was read without
	// that thread, the thread has not unlocked it.
	again, shared := f.ownerOfMutex(w.Addr, c, t)
	if again != number || shared || f.has(number) {
		return
	}
	w.GoneOwner = id
	if f.able.Outsider != nil {
		w.Gone = f.able.Outsider(int(number), w.Addr)
	}
	if f.gone == nil {
		f.gone = map[task.Addr]goneOwner{}
	}
	f.gone[w.Addr] = goneOwner{id, w.Gone}
}

// has reports whether the target has a thread with that id, if ids are the same for the target
// and for us.
func (f *Finder) has(number uint64) bool {
	id, ok := f.calls.LocalThread(int(number))
	return ok && id == task.ThreadID(number)
}
