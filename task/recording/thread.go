package recording

import (
	"cmp"
	"encoding/binary"

	"stacksnap/task"
)

// thread is the state of a thread that writer and reader keep between snapshots. A
// new thread starts from the zero thread.
type thread struct {
	task.Thread        // with its own copy of the stacks' bytes
	err         string // text of Err
	wait        Wait   // in older recordings
	look        Wait   // the last observation; zero: none
	seen        int    // number of the snapshot that last listed it
	at          int    // index in the line, plus 1; 0: not in it
	touched     bool   // it is in line.changed
	moved       bool   // more than its facts have changed since the last snapshot
}

// maxStacks is the maximum number of ranges in a thread's stack.
const maxStacks = 16

// appendChanges appends the difference between before and t, after its id. scratch is
// a buffer, and is returned.
func (before *thread) appendChanges(b []byte, t *thread, scratch []byte) (out, room []byte) {
	b = before.appendFacts(b, t)
	b = appendRegisters(b, &before.Registers, &t.Registers)
	b = appendKernel(b, before.Kernel, t.Kernel)
	b = appendManaged(b, before.Managed, t.Managed)
	if !sameStacks(before.Stacks, t.Stacks) {
		b = appendUint(b, 12, uint64(len(t.Stacks)))
		for i := range t.Stacks {
			var at int
			b, at = begin(b, 13)
			b, scratch = appendStack(b, &t.Stacks[i], before.Stacks, scratch)
			b = end(b, at)
		}
	}
	return b, scratch
}

func (before *thread) appendFacts(b []byte, t *thread) []byte {
	if t.Name != before.Name {
		b = appendBytes(b, 2, t.Name)
	}
	if t.RuntimeName != before.RuntimeName {
		b = appendBytes(b, 34, cutText(t.RuntimeName))
	}
	b = appendGoroutine(b, &before.Goroutine, &t.Goroutine)
	if t.Queue != before.Queue {
		b = appendBytes(b, 3, t.Queue)
	}
	if t.State != before.State {
		b = appendUint(b, 4, uint64(t.State))
	}
	if t.User != before.User {
		b = appendUint(b, 5, uint64(t.User))
	}
	if t.System != before.System {
		b = appendUint(b, 6, uint64(t.System))
	}
	if t.SuspendCount != before.SuspendCount {
		b = appendSint(b, 7, int64(t.SuspendCount))
	}
	if t.err != before.err {
		b = appendBytes(b, 8, t.err)
	}
	if t.Same != before.Same {
		b = appendBool(b, 14, t.Same)
	}
	if t.Unstopped != before.Unstopped {
		b = appendBool(b, 15, t.Unstopped)
	}
	if t.Priority.Now != before.Priority.Now {
		b = appendSint(b, 20, int64(t.Priority.Now))
	}
	if t.Priority.Base != before.Priority.Base {
		b = appendSint(b, 21, int64(t.Priority.Base))
	}
	if t.QoS != before.QoS {
		b = appendUint(b, 22, uint64(t.QoS))
	}
	if t.QueueSerial != before.QueueSerial {
		b = appendUint(b, 23, t.QueueSerial)
	}
	if t.Later != before.Later {
		b = appendBool(b, 37, t.Later)
	}
	if t.Sure != before.Sure {
		b = appendUint(b, 17, uint64(t.Sure))
	}
	return before.appendSchedule(b, t)
}

func appendBool(b []byte, field int, v bool) []byte {
	if v {
		return appendUint(b, field, 1)
	}
	return appendUint(b, field, 0)
}

// appendRegisters appends the differences of all registers up to the last one that
// differs.
func appendRegisters(b []byte, before, r *task.Registers) []byte {
	if r.Arch != before.Arch {
		b = appendUint(b, 9, uint64(r.Arch))
	}
	if r.Known != before.Known {
		b = appendUint(b, 10, r.Known)
	}
	n := len(r.R)
	for n > 0 && r.R[n-1] == before.R[n-1] {
		n--
	}
	if n == 0 {
		return b
	}
	b, at := begin(b, 11)
	for i := range n {
		b = binary.AppendUvarint(b, zigzag(int64(r.R[i]-before.R[i])))
	}
	return end(b, at)
}

func sameStacks(a, b []task.Stack) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Base != b[i].Base || a[i].Top != b[i].Top || string(a[i].Bytes) != string(b[i].Bytes) {
			return false
		}
	}
	return true
}

// keepStacks makes own, which is overwritten, a copy of s.
func keepStacks(own, s []task.Stack) []task.Stack {
	for len(own) < len(s) {
		own = append(own, task.Stack{})
	}
	own = own[:len(s)]
	for i := range s {
		own[i] = task.Stack{Base: s[i].Base, Top: s[i].Top, Bytes: append(own[i].Bytes[:0], s[i].Bytes...)}
	}
	return own
}

// change returns the thread after the changes in the message. The two share the bytes
// of unchanged stacks, which are never modified.
func (before *thread) change(data []byte) (*thread, error) {
	t := *before
	var registers int
	var managed managedChange
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 11:
			t.moved = true
			m.packed(func(n uint64) error {
				if registers == len(t.Registers.R) {
					return errTooBig
				}
				t.Registers.R[registers] += uint64(unzigzag(n))
				registers++
				return nil
			})
		case 12:
			t.moved, t.Stacks = true, nil
		case 13:
			if len(t.Stacks) == maxStacks {
				return nil, errTooBig
			}
			t.moved = true
			s, err := parseStack(m.data, before.Stacks)
			m.fail(err)
			t.Stacks = append(t.Stacks, s)
		case 30, 31:
			t.parseKernel(&m)
		case 32, 33:
			t.moved = true
			managed.parse(&m)
		default:
			t.parseFact(&m)
		}
	}
	var err error
	t.Managed, err = managed.apply(before.Managed)
	return &t, cmp.Or(m.err, err)
}

func (t *thread) parseFact(m *message) {
	switch m.field {
	case 2:
		t.Name = m.string()
	case 34:
		t.RuntimeName = m.string()
	case 35, 36:
		m.fail(parseGoroutine(m, &t.Goroutine))
	case 37:
		t.Later = m.n != 0
	case 3:
		t.Queue = m.string()
	case 4:
		t.State = stateOf(m.n)
	case 5:
		t.User = duration(m.n)
	case 6:
		t.System = duration(m.n)
	case 7:
		t.SuspendCount = int(m.sint())
	case 8:
		t.moved = true
		t.err = m.string()
		t.Err = newError(t.err)
	case 9:
		t.moved = true
		t.Registers.Arch = arch(m.n)
	case 10:
		t.moved = true
		t.Registers.Known = m.n & (1<<task.MaxRegisters - 1)
	case 14:
		t.Same = m.bool()
	case 15:
		t.moved = true
		t.Unstopped = m.bool()
	case 20:
		t.Priority.Now = priority(m)
	case 21:
		t.Priority.Base = priority(m)
	case 22:
		t.QoS = qosOf(m.n)
	case 23:
		t.QueueSerial = m.n
	case 17:
		t.moved = true
		t.Sure = index(m.n)
	case 16:
		var err error
		t.wait, err = parseWait(m.data)
		m.fail(err)
	default:
		t.parseSchedule(m)
	}
}

// priority maps an impossible priority to 0: the kernel has 128.
func priority(m *message) int {
	const most = 127
	if n := m.sint(); n > -most && n <= most {
		return int(n)
	}
	return 0
}

func qosOf(n uint64) task.QoS {
	if n > uint64(task.UserInteractive) {
		return task.UnknownQoS
	}
	return task.QoS(n)
}

func stateOf(n uint64) task.State {
	if n > uint64(task.Ended) {
		return task.StateUnknown
	}
	return task.State(n)
}
