package managed

import (
	"encoding/binary"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind/runtimes/cpython"
)

// mergedTask is tasks that are alike.
type mergedTask struct {
	profile.Task
	frames []task.ManagedFrame
}

// maxAwaiters is the most tasks above another that are shown with it.
const maxAwaiters = 64

// merger merges tasks that have the same stack and wait. The stack of a task that one other
// task awaits, and no second one, goes on with that of the other.
type merger struct {
	runtime string
	tasks   map[task.Addr]*cpython.Task
	awaiter map[task.Addr]task.Addr // of each task that is awaited; 0: several
	keys    map[string]uint32       // of what tasks do
	merged  map[string]*mergedTask
}

// mergeTasks returns the tasks, alike ones in one. Those that are alone keep their name.
func mergeTasks(runtime string, all []cpython.Task) (merged []*mergedTask) {
	m := merger{runtime, map[task.Addr]*cpython.Task{}, map[task.Addr]task.Addr{}, map[string]uint32{}, map[string]*mergedTask{}}
	for i := range all {
		m.tasks[all[i].At] = &all[i]
	}
	for i := range all {
		for _, at := range all[i].Awaits {
			if by, ok := m.awaiter[at]; ok && by != all[i].At {
				m.awaiter[at] = 0
			} else {
				m.awaiter[at] = all[i].At
			}
		}
	}
	for i := range all {
		t := &all[i]
		above := m.above(t)
		key := m.key(t, above)
		if same := m.merged[key]; same != nil {
			same.Count++
			same.Name = ""
			continue
		}
		made := profile.Task{Runtime: runtime, ID: uint64(t.At), Name: t.Name, Wait: t.Wait, Count: 1}
		m.merged[key] = &mergedTask{made, m.frames(t, above)}
		merged = append(merged, m.merged[key])
	}
	return merged
}

// above returns the tasks of which each awaits the one before it, and the first t; none if
// they are too many, or if they are a circle.
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
		key = binary.LittleEndian.AppendUint32(key, m.ownKey("", a.Frames))
	}
	return string(key)
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
