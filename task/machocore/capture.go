package machocore

import "stacksnap/task"

// Threads lists the threads in the order of the file.
func (p *Process) Threads() ([]task.ThreadID, error) { return p.ids, nil }

// Describe fills a thread's name and queue, where a note has them.
func (p *Process) Describe(id task.ThreadID, t *task.Thread) error {
	i, ok := p.index[id]
	if !ok {
		return task.ErrThreadGone
	}
	t.Name, t.Queue = p.threads[i].name, p.threads[i].queue
	return nil
}

// Suspend does nothing: nothing in a core runs.
func (p *Process) Suspend() (resume func() error, err error) {
	return func() error { return nil }, nil
}

// Capture copies a thread's registers, and its stack from the red zone below
// its stack pointer up.
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
	base, top, ok := p.stackBounds(th.regs.SP())
	if !ok {
		return nil // registers alone
	}
	buf := t.Buffer()
	buf = buf[:min(uint64(cap(buf)), uint64(top-base))]
	n, _ := p.Memory().ReadMemory(buf, base)
	t.Stacks = append(t.Stacks[:0], task.Stack{Base: base, Bytes: buf[:n], Top: top})
	return nil
}

// stackBounds returns the used part of the stack that sp is in: from the red
// zone below sp to the end of the memory that belongs together. An sp that has
// run over into the guard below a stack is taken for that stack's.
func (p *Process) stackBounds(sp task.Addr) (base, top task.Addr, ok bool) {
	i, found := find(p.segments, sp)
	if !found {
		return 0, 0, false
	}
	base = max(p.segments[i].start, sp-min(sp, task.RedZone))
	if p.segments[i].prot&task.Write == 0 && p.joined(i, task.Write) {
		base = p.segments[i].end
		i++
	}
	for top = p.segments[i].end; p.joined(i, p.segments[i].prot); i++ {
		top = p.segments[i+1].end
	}
	return base, top, true
}

// joined tells whether the segment after i begins where i ends and has prot.
func (p *Process) joined(i int, prot task.Prot) bool {
	return i+1 < len(p.segments) && p.segments[i+1].start == p.segments[i].end && p.segments[i+1].prot&prot == prot
}
