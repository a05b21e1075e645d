package mach

import "stacksnap/task"

// maxJoined bounds how many regions one stack may consist of.
const maxJoined = 8

// copyStack copies from the red zone below sp up to the stack's end, or as much
// of it as the buffer holds or can be read.
func (p *Process) copyStack(h *held, t *task.Thread) error {
	if p.copyForeseen(h, t) {
		return nil
	}
	sp := t.Registers.SP()
	room := t.Buffer()[:0]
	r, err := p.stackRegion(sp)
	if err != nil {
		return err
	}
	base := redZone(sp, r.start)
	top := p.stackTop(&r, base, uint64(cap(room)))
	room = room[:min(uint64(cap(room)), uint64(top-base))]
	n, ret := p.readPrefix(room, base)
	if n == 0 && ret != success {
		if p.taskGone(ret) {
			return p.exited
		}
		return p.fail("the stack cannot be read", base+task.Addr(n), ret)
	}
	t.Stacks = append(t.Stacks, task.Stack{Base: base, Bytes: room[:n], Top: top})
	h.foreseen.foresee(&r, top)
	if top == r.end && r.contains(h.foreseen.handle) {
		p.ownData = r.end - h.foreseen.handle // as of the others'
	}
	p.note(h, &r, &t.Stacks[0])
	return nil
}

// redZone returns where what is used of a stack begins: below sp, but not below
// the stack's start.
func redZone(sp, start task.Addr) task.Addr {
	if sp > start && uint64(sp-start) > task.RedZone {
		return sp - task.RedZone
	}
	return start
}

// stackTop returns where the stack that begins with region r ends. Of a stack of
// several regions, such as a main thread's that has grown, no more are joined
// than want bytes take. Above most is a guard or nothing, which a read tells: some
// kernels take much longer for a question about a region.
func (p *Process) stackTop(r *region, base task.Addr, want uint64) task.Addr {
	top := r.end
	for range maxJoined {
		if uint64(top-base) > want || !p.isReadable(top) {
			break
		}
		next, ret := p.regionAt(top)
		if ret != success || next.start != top || !next.isStack() || next.tag != r.tag {
			break
		}
		top = next.end
	}
	return top
}

// stackRegion finds the region that sp is in. Where that is a guard page, as
// after an overflow, the stack is the region just above it.
func (p *Process) stackRegion(sp task.Addr) (region, error) {
	r, ret := p.regionAt(sp)
	if ret != success {
		if p.taskGone(ret) {
			return region{}, p.exited
		}
		return region{}, p.fail("no memory is mapped where the stack pointer is,", sp, ret)
	}
	if r.contains(sp) && !r.isStack() {
		guard := r
		if r, ret = p.regionAt(guard.end); ret == success && r.start == guard.end && r.isStack() {
			return r, nil
		}
		return region{}, p.fail("what the stack pointer points to is no stack,", sp, success)
	}
	if !r.contains(sp) {
		return region{}, p.fail("no memory is mapped where the stack pointer is,", sp, success)
	}
	return r, nil
}

func (p *Process) isReadable(a task.Addr) bool {
	_, r := p.k.read(p.task, p.peeked[:], a)
	return r == success
}

func (r *region) isStack() bool {
	const readWrite = task.Read | task.Write
	return r.prot&readWrite == readWrite
}
