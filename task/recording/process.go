package recording

import (
	"iter"

	"stacksnap/task"
)

// Process is a recording as a [task.Process]: the process as it was at the
// snapshot that was read last. It does not move on by itself.
type Process struct {
	reader  *Reader
	threads map[task.ThreadID]*task.Thread
	ids     []task.ThreadID
}

// NewProcess makes a process of what r reads, before its first snapshot.
func NewProcess(r *Reader) *Process { return &Process{reader: r} }

var _ task.Process = (*Process)(nil)

// Next moves on to the next snapshot; see [Reader.Next].
func (p *Process) Next() (*Sample, error) {
	s, err := p.reader.Next()
	if err != nil {
		return nil, err
	}
	p.ids = p.ids[:0]
	p.threads = make(map[task.ThreadID]*task.Thread, len(s.Threads))
	for i := range s.Threads {
		t := &s.Threads[i]
		p.ids = append(p.ids, t.ID)
		p.threads[t.ID] = t
	}
	return s, nil
}

// Info implements [task.Process].
func (p *Process) Info() task.Info { return p.reader.header.Target }

// Memory implements [task.Process]: what was read of the target when it was
// recorded.
func (p *Process) Memory() task.Memory { return p.reader.Memory() }

// Regions implements [task.Process]: the mappings of code alone.
func (p *Process) Regions() iter.Seq2[task.Region, error] { return p.reader.Regions() }

// Threads implements [task.Process].
func (p *Process) Threads() ([]task.ThreadID, error) { return p.ids, nil }

// Describe implements [task.Process].
func (p *Process) Describe(id task.ThreadID, t *task.Thread) error {
	from := p.threads[id]
	if from == nil {
		return task.ErrThreadGone
	}
	t.Name, t.Queue, t.State = from.Name, from.Queue, from.State
	t.User, t.System, t.SuspendCount = from.User, from.System, from.SuspendCount
	return nil
}

// Suspend implements [task.Process]: there is nothing to stop.
func (p *Process) Suspend() (resume func() error, err error) {
	return func() error { return nil }, nil
}

// Capture implements [task.Process]. It gives all ranges of the stack that are
// recorded, as far as there is room.
func (p *Process) Capture(id task.ThreadID, t *task.Thread) error {
	from := p.threads[id]
	if from == nil {
		return task.ErrThreadGone
	}
	t.Registers, t.Stacks, t.Unstopped = from.Registers, t.Stacks[:0], from.Unstopped
	room := t.Buffer()
	room = room[:cap(room)]
	for _, s := range from.Stacks {
		n := copy(room, s.Bytes)
		t.Stacks = append(t.Stacks, task.Stack{Base: s.Base, Bytes: room[:n:n], Top: s.Top})
		room = room[n:]
	}
	return from.Err
}

// Close implements [task.Process]. It does not close the reader.
func (p *Process) Close() error { return nil }
