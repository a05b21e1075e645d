package managed

import (
	"encoding/binary"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind/runtimes/cpython"
)

// mergedTask is one or more tasks that are alike.
type mergedTask struct {
	profile.Task
	frames []task.ManagedFrame
}

const (
	maxAwaiters = 64      // tasks above another that are shown with it
	maxAbove    = 1 << 18 // frames of the tasks above all others
)

// merger merges tasks that have the same stack and wait. The stack of a task that exactly one
// other task awaits continues with the stack of that task.
type merger struct {
	runtime string
	tasks   map[task.Addr]*cpython.Task
	awaiter map[task.Addr]task.Addr // see awaiters
	keys    map[string]uint32       // of what tasks do
	stacks  map[task.Addr]uint32    // the keys of the tasks above others
	merged  map[string]*mergedTask
	room    int // for frames of the tasks above others
}

// mergeTasks merges tasks that are alike. A task without others like it keeps its name.
func mergeTasks(runtime string, all []*cpython.Task) (merged []*mergedTask) {
	m := merger{
		runtime: runtime, tasks: byAddress(all), awaiter: awaiters(all), keys: map[string]uint32{}, stacks: map[task.Addr]uint32{},
		merged: map[string]*mergedTask{}, room: maxAbove,
	}
	for _, t := range all {
		above := m.above(t)
		key := m.key(t, above)
		if same := m.merged[key]; same != nil {
			same.Count++
			same.Name = ""
			continue
		}
		if m.room -= depth(above); m.room < 0 {
			above = nil
		}
		made := &mergedTask{
			Task:   profile.Task{Runtime: runtime, ID: uint64(t.At), Name: t.Name, Wait: t.Wait, Count: 1},
			frames: m.frames(t, above),
		}
		m.merged[key] = made
		merged = append(merged, made)
	}
	return merged
}

// byAddress returns tasks by the address of each.
func byAddress(all []*cpython.Task) map[task.Addr]*cpython.Task {
	tasks := make(map[task.Addr]*cpython.Task, len(all))
	for i := range all {
		tasks[all[i].At] = all[i]
	}
	return tasks
}

// awaiters returns the task that awaits each task that is awaited; 0: several do.
func awaiters(all []*cpython.Task) map[task.Addr]task.Addr {
	awaiter := map[task.Addr]task.Addr{}
	for i := range all {
		for _, at := range all[i].Awaits {
			if by, ok := awaiter[at]; ok && by != all[i].At {
				awaiter[at] = 0
			} else {
				awaiter[at] = all[i].At
			}
		}
	}
	return awaiter
}

// above returns the chain of tasks above t: the first awaits t, and each other the one before
// it. It is empty if there are too many, or if they await each other in a circle.
func (m *merger) above(t *cpython.Task) (above []*cpython.Task) {
	for at := m.awaiter[t.At]; at != 0; at = m.awaiter[at] {
		next := m.tasks[at]
		if next == nil || next == t || len(above) == maxAwaiters {
			return nil
		}
		above = append(above, next)
	}
	return above
}

// key returns what alike tasks have in common.
func (m *merger) key(t *cpython.Task, above []*cpython.Task) string {
	key := binary.LittleEndian.AppendUint32(nil, m.ownKey(t.Wait, t.Frames))
	for _, a := range above {
		n, ok := m.stacks[a.At]
		if !ok {
			n = m.ownKey("", a.Frames)
			m.stacks[a.At] = n
		}
		key = binary.LittleEndian.AppendUint32(key, n)
	}
	return string(key)
}

// depth returns the number of frames of tasks.
func depth(tasks []*cpython.Task) (n int) {
	for _, t := range tasks {
		n += len(t.Frames)
	}
	return n
}

// ownKey returns a number that tasks with the same wait and coroutines share.
func (m *merger) ownKey(wait string, frames []task.ManagedFrame) uint32 {
	key := append([]byte(wait), 0)
	for i := range frames {
		f := &frames[i]
		key = append(append(key, f.Function...), 0)
		key = append(append(key, f.File...), 0)
		key = binary.LittleEndian.AppendUint64(key, uint64(f.Line))
	}
	n, ok := m.keys[string(key)]
	if !ok {
		n = uint32(len(m.keys))
		m.keys[string(key)] = n
	}
	return n
}

// frames returns the stack of a task below those above it, the outermost frame first.
func (m *merger) frames(t *cpython.Task, above []*cpython.Task) (frames []task.ManagedFrame) {
	for i := len(above) - 1; i >= 0; i-- {
		frames = append(frames, above[i].Frames...)
	}
	frames = append(frames, t.Frames...)
	for i := range frames {
		frames[i].Runtime = m.runtime
	}
	return frames
}
