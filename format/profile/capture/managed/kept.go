package managed

import (
	"errors"
	"unsafe"

	"stacksnap/task"
)

// maxKept is how many bytes of frames are kept of all threads.
const maxKept = 256 << 20

var errRoom = errors.New("the frames of all threads take too much memory")

// keptStacks are the managed frames of the last stack of each thread.
type keptStacks struct {
	of   map[task.ThreadID]keptStack
	size int // bytes
}

type keptStack struct {
	frames []task.ManagedFrame
	size   int
}

// set keeps the frames of a thread. It reports whether there is room for them.
func (k *keptStacks) set(id task.ThreadID, frames []task.ManagedFrame) bool {
	k.drop(id)
	size := cap(frames) * int(unsafe.Sizeof(task.ManagedFrame{}))
	for i := range frames {
		size += len(frames[i].Function) + len(frames[i].File)
	}
	if k.size+size > maxKept {
		return false
	}
	if k.of == nil {
		k.of = map[task.ThreadID]keptStack{}
	}
	k.of[id] = keptStack{frames, size}
	k.size += size
	return true
}

// drop forgets the frames of a thread.
func (k *keptStacks) drop(id task.ThreadID) {
	k.size -= k.of[id].size
	delete(k.of, id)
}

// forgetEnded drops what is kept of threads that have ended.
func (k *keptStacks) forgetEnded(threads *numbers) {
	if len(k.of) <= len(threads.ids) {
		return
	}
	for id := range k.of {
		if !threads.has(id) {
			k.drop(id)
		}
	}
}
