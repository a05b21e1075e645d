package recording

import (
	"time"

	"stacksnap/task"
)

// Task is a task that no thread ran, or several tasks that are alike.
type Task struct {
	Runtime, Name, Wait string
	ID                  uint64
	Since               time.Duration
	System              bool
	Count               int         // 1 or more
	Creator             task.Addr   // return address of the call that made it; 0: unknown
	Frames              []TaskFrame // the innermost first
	Stop                uint8       // numbered as in recording.proto
	Need                task.Addr
	Detail              string
	On                  *TaskObject // what all of them wait for; nil: not the same, or not known
	Objects             int         // number of different objects that they wait for; 0: not known
}

// TaskObject is what tasks wait for.
type TaskObject struct {
	Kind                        string
	Addr                        task.Addr
	Len, Cap                    uint64
	Receivers, Senders, Waiters int
}

// TaskFrame is a frame of a task.
type TaskFrame struct {
	PC      task.Addr
	Return  bool
	By      uint8 // numbered as in recording.proto
	Why     string
	Managed *task.ManagedFrame // nil: the frame is native
}

// TaskCircle is a cycle of tasks that wait for each other.
type TaskCircle struct {
	Runtime string
	Tasks   []TaskInCircle
}

// TaskInCircle is a task of a [TaskCircle].
type TaskInCircle struct {
	ID             uint64
	Name, Function string
}

// The bounds of one record.
const (
	maxTaskFrames = 1 << 14
	maxCircle     = 1 << 16
)

// The memory for tasks, here and where they are shown, in bytes.
const (
	costTask      = 1 << 10
	costTaskFrame = 512
)

func (w *Writer) addTasks(e *End) {
	for i := range e.Tasks {
		at := w.begin(17)
		w.block = appendTask(w.block, &e.Tasks[i])
		w.end(at)
	}
	for i := range e.TaskCircles {
		at := w.begin(18)
		w.block = appendTaskCircle(w.block, &e.TaskCircles[i])
		w.end(at)
	}
}

func appendTask(b []byte, t *Task) []byte {
	b = appendBytesIf(b, 1, cutText(t.Runtime))
	b = appendUintIf(b, 2, t.ID)
	b = appendBytesIf(b, 3, cutText(t.Name))
	b = appendBytesIf(b, 4, cutText(t.Wait))
	b = appendUintIf(b, 5, uint64(max(0, t.Since)))
	b = appendBoolIf(b, 6, t.System)
	b = appendUint(b, 7, uint64(max(1, t.Count)))
	b = appendUintIf(b, 8, uint64(t.Creator))
	for i := range t.Frames[:min(len(t.Frames), maxTaskFrames)] {
		var at int
		b, at = begin(b, 9)
		b = end(appendTaskFrame(b, &t.Frames[i]), at)
	}
	b = appendUintIf(b, 10, uint64(t.Stop))
	b = appendUintIf(b, 11, uint64(t.Need))
	b = appendBytesIf(b, 12, cutText(t.Detail))
	b = appendUintIf(b, 13, uint64(max(0, t.Objects)))
	if t.On != nil {
		var at int
		b, at = begin(b, 14)
		b = end(appendTaskObject(b, t.On), at)
	}
	return b
}

func appendTaskObject(b []byte, o *TaskObject) []byte {
	b = appendBytesIf(b, 1, cutText(o.Kind))
	b = appendUintIf(b, 2, uint64(o.Addr))
	b = appendUintIf(b, 3, o.Len)
	b = appendUintIf(b, 4, o.Cap)
	b = appendUintIf(b, 5, uint64(max(0, o.Receivers)))
	b = appendUintIf(b, 6, uint64(max(0, o.Senders)))
	return appendUintIf(b, 7, uint64(max(0, o.Waiters)))
}

func appendTaskFrame(b []byte, f *TaskFrame) []byte {
	b = appendUintIf(b, 1, uint64(f.PC))
	b = appendBoolIf(b, 2, f.Return)
	b = appendUintIf(b, 3, uint64(f.By))
	b = appendBytesIf(b, 4, cutText(f.Why))
	if f.Managed != nil {
		b = appendManagedFrame(b, 5, f.Managed)
	}
	return b
}

func appendTaskCircle(b []byte, c *TaskCircle) []byte {
	b = appendBytesIf(b, 1, cutText(c.Runtime))
	for i := range c.Tasks[:min(len(c.Tasks), maxCircle)] {
		t := &c.Tasks[i]
		var at int
		b, at = begin(b, 2)
		b = appendUintIf(b, 1, t.ID)
		b = appendBytesIf(b, 2, cutText(t.Name))
		b = end(appendBytesIf(b, 3, cutText(t.Function)), at)
	}
	return b
}

// tasks are the tasks that were read, and the memory that they take.
type tasks struct {
	all     []Task
	circles []TaskCircle
	held    int
}

// learn reads a record if it is about tasks, and reports whether it is.
func (s *tasks) learn(kind int, data []byte) (bool, error) {
	switch kind {
	case 17:
		t, err := parseTask(data)
		s.all = append(s.all, t)
		s.held += costTask + taskBytes(&t)
		return true, err
	case 18:
		c, err := parseTaskCircle(data)
		s.circles = append(s.circles, c)
		s.held += costTask*(1+len(c.Tasks)) + len(data)
		return true, err
	}
	return false, nil
}

func taskBytes(t *Task) int {
	n := objectBytes(t.On) + len(t.Runtime) + len(t.Name) + len(t.Wait) + len(t.Detail) + costTaskFrame*len(t.Frames)
	for i := range t.Frames {
		f := &t.Frames[i]
		n += len(f.Why)
		if m := f.Managed; m != nil {
			n += len(m.Runtime) + len(m.Function) + len(m.File)
		}
	}
	return n
}

func objectBytes(o *TaskObject) int {
	if o == nil {
		return 0
	}
	return 64 + len(o.Kind)
}

func parseTask(data []byte) (Task, error) {
	t := Task{Count: 1}
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			t.Runtime = m.text()
		case 2:
			t.ID = m.n
		case 3:
			t.Name = m.text()
		case 4:
			t.Wait = m.text()
		case 5:
			t.Since = duration(m.n)
		case 6:
			t.System = m.bool()
		case 7:
			t.Count = max(1, index(m.n))
		case 8:
			t.Creator = task.Addr(m.n)
		case 9:
			t.Frames = appendParsed(&m, t.Frames, maxTaskFrames, parseTaskFrame)
		case 10:
			t.Stop = uint8(min(m.n, 0xff))
		case 11:
			t.Need = task.Addr(m.n)
		case 12:
			t.Detail = m.text()
		case 13:
			t.Objects = index(m.n)
		case 14:
			o, err := parseTaskObject(m.data)
			m.fail(err)
			t.On = &o
		}
	}
	return t, m.err
}

func parseTaskObject(data []byte) (TaskObject, error) {
	var o TaskObject
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			o.Kind = m.text()
		case 2:
			o.Addr = task.Addr(m.n)
		case 3:
			o.Len = m.n
		case 4:
			o.Cap = m.n
		case 5:
			o.Receivers = index(m.n)
		case 6:
			o.Senders = index(m.n)
		case 7:
			o.Waiters = index(m.n)
		}
	}
	return o, m.err
}

func parseTaskFrame(data []byte) (TaskFrame, error) {
	var f TaskFrame
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			f.PC = task.Addr(m.n)
		case 2:
			f.Return = m.bool()
		case 3:
			f.By = uint8(min(m.n, 0xff))
		case 4:
			f.Why = m.text()
		case 5:
			managed, err := parseManagedFrame(m.data)
			m.fail(err)
			f.Managed = &managed
		}
	}
	return f, m.err
}

func parseTaskCircle(data []byte) (TaskCircle, error) {
	var c TaskCircle
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			c.Runtime = m.text()
		case 2:
			c.Tasks = appendParsed(&m, c.Tasks, maxCircle, parseTaskInCircle)
		}
	}
	return c, m.err
}

func parseTaskInCircle(data []byte) (TaskInCircle, error) {
	var t TaskInCircle
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			t.ID = m.n
		case 2:
			t.Name = m.text()
		case 3:
			t.Function = m.text()
		}
	}
	return t, m.err
}

// appendParsed appends the embedded message of the current field to a list of at most limit.
func appendParsed[T any](m *message, list []T, limit int, parse func([]byte) (T, error)) []T {
	if len(list) == limit {
		m.fail(errTooBig)
		return list
	}
	one, err := parse(m.data)
	m.fail(err)
	return append(list, one)
}

// text returns a string of bounded length.
func (m *message) text() string {
	if len(m.data) > maxManagedText {
		m.fail(errTooBig)
		return ""
	}
	return string(m.data)
}
