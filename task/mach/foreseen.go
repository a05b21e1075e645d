package mach

import "stacksnap/task"

// maxUnforeseen is how often a thread's stack lies elsewhere than was foreseen,
// before it is always asked for.
const maxUnforeseen = 2

// foreseen is what tells where a thread's stack ends without a question about its
// region, which takes some kernels long with many threads, while the target
// stands.
type foreseen struct {
	region region    // that it was in last; nothing at first
	handle task.Addr // where the thread's own data begins, which libpthread keeps above the stack
	from   task.Addr // what was copied by that alone, for its region to be asked for; 0: nothing
	missed int
}

// foreseenTop returns where the stack that sp is in ends, if nothing has changed: where it
// did, or as far above the thread's own data as that of others. 0: not known.
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

// copyForeseen copies a stack as a whole if it ends where is foreseen: all of it
// is readable in one, and what lies above it is not. Else the kernel has to be
// asked.
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
	if top <= base || uint64(top-base) > uint64(cap(room)) {
		return false
	}
	room = room[:top-base]
	if n, r := p.k.read(p.task, room, base); r != success || n != len(room) || p.isReadable(top) {
		f.missed++
		return false
	}
	t.Stacks = append(t.Stacks, task.Stack{Base: base, Bytes: room, Top: top})
	if known {
		p.note(h, &f.region, &t.Stacks[0])
	} else {
		f.from = base
	}
	return true
}

// foresee learns from the region that a stack was found in, as a whole.
func (p *Process) foresee(f *foreseen, r *region) {
	f.region = *r
	if r.contains(f.handle) {
		p.ownData = r.end - f.handle
	}
}

// askForeseen asks, while the target runs, for the region of a stack that was
// copied without.
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
