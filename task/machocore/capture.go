package machocore

import "stacksnap/task"

// Threads returns the threads in the order of the file.
func (p *Process) Threads() ([]task.ThreadID, error) { return p.ids, nil }

// Describe fills in a thread's name and queue, if a note has them.
func (p *Process) Describe(id task.ThreadID, t *task.Thread) error {
	i, ok := p.index[id]
	if !ok {
		return task.ErrThreadGone
	}
	t.Name, t.Queue = p.threads[i].name, p.threads[i].queue
	return nil
}

// Suspend does nothing: nothing in a core runs.
func (p *Process) Suspend(task.StopOptions) (resume func() error, err error) {
	return func() error { return nil }, nil
}

// Capture copies a thread's registers, and its stack from the red zone below its
// stack pointer up.
func (p *Process) Capture(id task.ThreadID, t *task.Thread) error {
	i, ok := p.index[id]
	if !ok {
		return task.ErrThreadGone
	}
	th := &p.threads[i]
	if th.regs == nil {
		return th.err
	}
	t.Registers = *th.regs
	p.memory.CaptureStack(t)
	return nil
}
