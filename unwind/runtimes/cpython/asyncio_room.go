package cpython

import (
	"encoding/binary"
	"unsafe"

	"stacksnap/task"
)

// maxKept is how many bytes of tasks are kept of one reading. Two readings are kept at a time.
const maxKept = 64 << 20

// taskRoom has what is kept of the tasks of a reading. Stacks that are equal are kept once.
type taskRoom struct {
	left   int // bytes; less than 0: there was no room for the last task
	stacks map[string][]task.ManagedFrame
	key    []byte
}

func newTaskRoom() taskRoom {
	return taskRoom{left: maxKept, stacks: map[string][]task.ManagedFrame{}}
}

// keep takes the room that a task needs.
func (r *taskRoom) keep(t *Task) {
	const entries = 64 // in maps and lists
	r.left -= int(unsafe.Sizeof(*t)) + entries + len(t.Name) + len(t.Wait) + 8*cap(t.Awaits)
	r.key = r.key[:0]
	for i := range t.Frames {
		r.key = appendFrame(r.key, &t.Frames[i])
	}
	if same, ok := r.stacks[string(r.key)]; ok {
		t.Frames = same
		return
	}
	r.left -= len(r.key) + len(t.Frames)*int(unsafe.Sizeof(task.ManagedFrame{}))
	if r.left >= 0 {
		t.Frames = append(make([]task.ManagedFrame, 0, len(t.Frames)), t.Frames...)
		r.stacks[string(r.key)] = t.Frames
	}
}

// appendFrame appends what frames of coroutines differ in.
func appendFrame(key []byte, f *task.ManagedFrame) []byte {
	key = append(append(key, f.Function...), 0)
	key = append(append(key, f.File...), 0)
	return binary.LittleEndian.AppendUint64(key, uint64(f.Line))
}
