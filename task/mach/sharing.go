package mach

import "stacksnap/task"

// The bounds of what is mapped of a target at once. It costs address space, and a
// page table where it was read.
const (
	maxMappings = 256
	maxMapping  = task.MaxStackLimit // bytes of one
	maxMapped   = 2 << 30            // bytes of all

	mapAfter   = 2   // captures of a thread on the same stack, before that is mapped
	maxMapTry  = 4   // mappings tried for one thread
	maxUnequal = 3   // mappings that were no sharing, before no more is mapped
	checkEvery = 64  // uses of a mapping, for a read that confirms it
	checkSize  = 256 // bytes that are read then
	firstSize  = 1024

	memoryStack = 30 // VM_MEMORY_STACK (osfmk/mach/vm_statistics.h)
)

// sharing is how stacks are read while a process is sampled: through mappings,
// each made, after a thread was captured a few times, and unmapped while the
// target runs. A kernel that refuses one for good is not asked again.
type sharing struct {
	on      bool
	refused bool // no more mappings of this process
	noNew   bool // mach_vm_remap_new was refused
	control bool // the task's port is its control port, by which mach_vm_remap may be asked
	unequal int

	count int    // mappings that there are
	size  uint64 // bytes of them
	left  []*mapping
	used  []use
	check [checkSize]byte
}

// known is what is known of a thread's stack, from the captures before.
type known struct {
	start, end task.Addr // the region; nothing where start is end
	from       task.Addr // what was copied of it
	size       int
	seen       int // how often, one after another
	tried      int
	mapping    *mapping
}

func (s *sharing) begin() {
	s.on = true
	if cap(s.used) == 0 {
		s.used = make([]use, 0, maxMappings)
		s.left = make([]*mapping, 0, maxMappings)
	}
}

// copyShared copies the stack of a stopped thread from its mapping, if that is
// trusted and sp is in it. Then no question is asked to the kernel.
func (p *Process) copyShared(h *held, t *task.Thread) bool {
	m := h.stack.mapping
	if !p.sharing.on || !p.stopped || m == nil || !m.trusted || len(p.sharing.used) == cap(p.sharing.used) {
		return false
	}
	sp := t.Registers.SP()
	if sp < m.start || sp >= m.end {
		return false
	}
	base := redZone(sp, m.start)
	room := t.Buffer()[:0]
	room = room[:min(uint64(cap(room)), uint64(m.end-base))]
	if m.uses++; m.uses%checkEvery == 0 && !p.confirmed(m, base) || !m.copy(room, base) {
		p.distrust(h)
		return false
	}
	t.Stacks = append(t.Stacks, task.Stack{Base: base, Bytes: room, Top: m.end})
	p.sharing.used = append(p.sharing.used, use{t, h.id, m, base, base + task.Addr(len(room))})
	return true
}

// confirmed has the kernel read some of what a mapping shows.
func (p *Process) confirmed(m *mapping, a task.Addr) bool {
	b := p.sharing.check[:min(checkSize, int(m.end-a))]
	n, r := p.k.read(p.task, b, a)
	return r == success && n == len(b) && m.equals(b, a)
}

// note learns from a stack that the kernel has read, which begins in region r: if
// that is all of it, it may be mapped. It is compared with the mapping, if there
// is one that is not trusted yet. What is no thread's own stack by its tag is left
// out, as a coroutine's, which may go while the thread lives.
func (p *Process) note(h *held, r *region, st *task.Stack) {
	if !p.stopped {
		return
	}
	k := &h.stack
	if r.tag != memoryStack || r.file || r.object == 0 || st.Top != r.end || st.Truncated() {
		return
	}
	if k.start != r.start || k.end != r.end {
		k.start, k.end, k.seen = r.start, r.end, 0
	}
	k.from, k.size = st.Base, len(st.Bytes)
	k.seen++
	m := k.mapping
	if m == nil || m.trusted || !m.holds(st.Base, len(st.Bytes)) {
		return
	}
	if !m.equals(st.Bytes, st.Base) {
		p.distrust(h)
		return
	}
	m.trusted = m.changed()
}

// distrust drops a mapping that does not show what it should. There will be no
// other of this thread, and after a few such none of the process.
func (p *Process) distrust(h *held) {
	p.leave(h)
	h.stack.tried = maxMapTry
	if p.sharing.unequal++; p.sharing.unequal >= maxUnequal {
		p.sharing.refused = true
	}
}

// leave has a thread's mapping unmapped when the target runs.
func (p *Process) leave(h *held) {
	if m := h.stack.mapping; m != nil {
		p.sharing.left = append(p.sharing.left, m) // there is room for all there are
	}
	h.stack = known{tried: h.stack.tried}
}
