package mach

import "stacksnap/task"

// The bounds of the mapped memory of a target. It takes address space and, where it was read,
// page tables.
const (
	maxMappings = 256
	maxMapping  = task.MaxStackLimit // bytes of one mapping
	maxMapped   = 2 << 30            // bytes of all mappings

	mapAfter   = 2   // captures of a thread on the same stack before the stack is mapped
	maxMapTry  = 4   // attempts to map one thread's stack
	maxUnequal = 3   // mappings that did not share the memory, before mapping is given up
	checkEvery = 64  // uses of a mapping between reads that confirm it
	checkSize  = 256 // bytes of such a read
	firstSize  = 1024

	memoryStack = 30 // VM_MEMORY_STACK (osfmk/mach/vm_statistics.h)
)

// sharing is the state of reading stacks through mappings while a process is sampled. A mapping
// is made after a thread was captured a few times. Mappings are made and removed while the
// target runs. If the kernel refuses for good, no more are made.
type sharing struct {
	on      bool
	refused bool // no more mappings of this process
	noNew   bool // mach_vm_remap_new was refused
	control bool // the task's port is its control port, which mach_vm_remap needs
	unequal int

	count int    // number of mappings
	size  uint64 // their size in bytes
	left  []*mapping
	used  []use
	check [checkSize]byte
}

// known is what earlier captures have shown of a thread's stack.
type known struct {
	start, end task.Addr // the region; start == end: not known
	from       task.Addr // where the copied part begins
	size       int
	seen       int // how often it was seen in succession
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

// copyShared copies the stack of a stopped thread from its mapping, if that is trusted and
// contains sp. The kernel is not called then.
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

// confirmed compares a part of a mapping with what the kernel reads there.
func (p *Process) confirmed(m *mapping, a task.Addr) bool {
	b := p.sharing.check[:min(checkSize, int(m.end-a))]
	n, r := p.k.read(p.task, b, a)
	return r == success && n == len(b) && m.equals(b, a)
}

// note records a stack that the kernel has read and that begins in region r. If the stack is all
// in r, it may be mapped later. If there is a mapping that is not trusted yet, it is compared
// with the stack. Stacks without a stack's tag are not mapped: one may be a coroutine's, which
// may be freed while the thread lives.
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

// distrust drops a mapping that does not show what it should. This thread gets no other, and
// after a few such mappings the process gets no more.
func (p *Process) distrust(h *held) {
	p.leave(h)
	h.stack.tried = maxMapTry
	if p.sharing.unequal++; p.sharing.unequal >= maxUnequal {
		p.sharing.refused = true
	}
}

// leave marks a thread's mapping to be unmapped when the target runs.
func (p *Process) leave(h *held) {
	if m := h.stack.mapping; m != nil {
		p.sharing.left = append(p.sharing.left, m) // it has room for all mappings
	}
	h.stack = known{tried: h.stack.tried}
}
