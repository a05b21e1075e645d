package mach

import (
	"stacksnap/task"
)

// maxJoined bounds how many regions one stack may consist of.
const maxJoined = 8

// copyStack copies from the red zone below sp up to the stack's end, as far as the buffer has
// room and memory can be read.
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
		p.ownData = r.end - h.foreseen.handle // taken to be the same for other threads
	}
	p.note(h, &r, &t.Stacks[0])
	return nil
}

// redZone returns where the used part of a stack begins: below sp, but not below the stack's
// start.
func redZone(sp, start task.Addr) task.Addr {
	if sp > start && uint64(sp-start) > task.RedZone {
		return sp - task.RedZone
	}
	return start
}

// stackTop returns where the stack that begins with region r ends. If a stack has several
// regions, such as that of a main thread after it has grown, it joins only as many as are needed
// for want bytes. Above it is a guard region or nothing. A trial read finds that out, because
// some kernels take much longer to look up a region.
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

// stackRegion returns the region that contains sp. If that is a guard page, as after an
// overflow, the stack is the region just above it.
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

// maxUnforeseen is how often a thread's stack may lie elsewhere than predicted before its region
// is always looked up.
const maxUnforeseen = 2

// foreseen predicts where a thread's stack ends, to save looking up its region while the target
// is stopped. With many threads some kernels take long for that.
type foreseen struct {
	region region    // the region that it was last in; empty at first
	handle task.Addr // where the thread's own data begins, which libpthread keeps above the stack
	from   task.Addr // start of a copy made by the prediction alone, whose region is to be looked up; 0: none
	missed int
}

// foreseenTop returns where the stack that contains sp should end: where it ended before, or as
// far above the thread's own data as other threads' stacks do. 0: not known.
func (p *Process) foreseenTop(f *foreseen, sp task.Addr) task.Addr {
	switch {
	case f.missed >= maxUnforeseen:
		return 0
	case f.region.contains(sp):
		return f.region.end
	case f.handle > sp && p.ownData > 0:
		return f.handle + p.ownData
	}
	return 0
}

// copyForeseen copies a stack up to its predicted end, or as much as there is room for, if all
// of it can be read at once. Whether the stack ends there is checked when the target runs, so
// that a stop makes two calls for each thread. If copyForeseen returns false, the region has to
// be looked up.
func (p *Process) copyForeseen(h *held, t *task.Thread) bool {
	sp, f := t.Registers.SP(), &h.foreseen
	top := p.foreseenTop(f, sp)
	known := f.region.contains(sp)
	var start task.Addr
	if known {
		start = f.region.start
	}
	base := redZone(sp, start)
	room := t.Buffer()[:0]
	if top <= base || p.stopped && len(p.foreseen) == cap(p.foreseen) {
		return false
	}
	room = room[:min(uint64(cap(room)), uint64(top-base))]
	whole := uint64(len(room)) == uint64(top-base)
	if n, r := p.k.read(p.task, room, base); r != success || n != len(room) || whole && !p.stopped && p.isReadable(top) {
		f.missed++
		return false
	}
	t.Stacks = append(t.Stacks, task.Stack{Base: base, Bytes: room, Top: top})
	if whole && p.stopped {
		p.foreseen = append(p.foreseen, foreseenStack{t, h.id})
	}
	if known {
		p.note(h, &f.region, &t.Stacks[0])
	} else {
		f.from = base
	}
	return true
}

// foreseenStack is a stack that was copied in a stop up to its predicted end.
type foreseenStack struct {
	thread *task.Thread
	id     task.ThreadID
}

// checkForeseen checks, when the target runs again, whether the stacks end where predicted:
// above each is a guard region or nothing. A stack that goes on has more than was copied, which
// another stop copies.
func (p *Process) checkForeseen() {
	for i, s := range p.foreseen {
		p.foreseen[i] = foreseenStack{}
		if all := s.thread.Stacks; len(all) > 0 && p.isReadable(all[0].Top) {
			p.correct(s.id, &all[0])
		}
	}
	p.foreseen = p.foreseen[:0]
}

// correct finds the real end of a stack that may go on, also for later stops.
func (p *Process) correct(id task.ThreadID, st *task.Stack) {
	h := p.lookup(id)
	r, err := p.stackRegion(st.Base)
	if h == nil || err != nil {
		return
	}
	if top := p.stackTop(&r, st.Base, uint64(len(st.Bytes))); top > st.Top {
		st.Top = top
		h.foreseen.foresee(&r, top)
	}
}

// foresee records the end of the stack that begins with region r. A stack of several regions has
// no single memory object.
func (f *foreseen) foresee(r *region, top task.Addr) {
	f.region = *r
	if top != r.end {
		f.region.end, f.region.object = top, 0
	}
}

// askForeseen looks up, while the target runs, the region of a stack that the last stop had to
// copy without knowing it, so that the next stop need not.
func (p *Process) askForeseen(f *foreseen) {
	a := f.from
	f.from = 0
	if a == 0 {
		return
	}
	if r, ret := p.regionAt(a); ret == success && r.contains(a) && r.isStack() {
		f.region = r
	}
}
