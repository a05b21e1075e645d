package recording

import (
	"iter"

	"stacksnap/task"
)

// Process presents a recording as a [task.Process]: as it was at the last snapshot
// read. Call Next to move on.
type Process struct {
	reader  *Reader
	now     []task.Thread                  // of the current snapshot
	threads map[task.ThreadID]*task.Thread // the same by id; nil until first used
}

// NewProcess returns the process that r has recorded, before its first snapshot.
func NewProcess(r *Reader) *Process { return &Process{reader: r} }

var _ task.Process = (*Process)(nil)

// Next moves on to the next snapshot; see [Reader.Next].
func (p *Process) Next() (*Sample, error) {
	s, err := p.reader.Next()
	if err != nil {
		return nil, err
	}
	p.now, p.threads = s.Threads, nil
	return s, nil
}

// thread returns a thread of the snapshot, nil if there is none with that id.
func (p *Process) thread(id task.ThreadID) *task.Thread {
	if p.threads == nil {
		p.threads = make(map[task.ThreadID]*task.Thread, len(p.now))
		for i := range p.now {
			p.threads[p.now[i].ID] = &p.now[i]
		}
	}
	return p.threads[id]
}

// Info implements [task.Process].
func (p *Process) Info() task.Info { return p.reader.header.Target }

// Capabilities implements [task.Process]: it has none.
func (p *Process) Capabilities() task.Capabilities { return task.Capabilities{} }

// Memory implements [task.Process]: what was read of the target when it was
// recorded.
func (p *Process) Memory() task.Memory { return p.reader.Memory() }

// Regions implements [task.Process]. It yields only mappings of code.
func (p *Process) Regions() iter.Seq2[task.Region, error] { return p.reader.Regions() }

// Threads implements [task.Process].
func (p *Process) Threads() ([]task.ThreadID, error) {
	ids := make([]task.ThreadID, len(p.now))
	for i := range p.now {
		ids[i] = p.now[i].ID
	}
	return ids, nil
}

// Describe implements [task.Process].
func (p *Process) Describe(id task.ThreadID, t *task.Thread) error {
	from := p.thread(id)
	if from == nil {
		return task.ErrThreadGone
	}
	t.Name, t.RuntimeName, t.Queue, t.QueueSerial, t.State = from.Name, from.RuntimeName, from.Queue, from.QueueSerial, from.State
	t.User, t.System, t.SuspendCount = from.User, from.System, from.SuspendCount
	t.Priority, t.QoS = from.Priority, from.QoS
	t.OnCPUState, t.Processor, t.Schedule, t.Lifetime, t.NotRun = from.OnCPUState, from.Processor, from.Schedule, from.Lifetime, from.NotRun
	return nil
}

// Suspend implements [task.Process]: there is nothing to stop.
func (p *Process) Suspend(task.StopOptions) (resume func() error, err error) {
	return func() error { return nil }, nil
}

// Capture implements [task.Process]. It returns all recorded ranges of the stack that
// fit into the buffer.
func (p *Process) Capture(id task.ThreadID, t *task.Thread) error {
	from := p.thread(id)
	if from == nil {
		return task.ErrThreadGone
	}
	t.Registers, t.Stacks, t.Unstopped, t.Sure, t.Kernel = from.Registers, t.Stacks[:0], from.Unstopped, from.Sure, from.Kernel
	t.Managed, t.Later, t.Goroutine = from.Managed, from.Later, from.Goroutine
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
