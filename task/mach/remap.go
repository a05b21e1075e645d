package mach

import "stacksnap/task"

// mapStacks maps the stacks of the threads that have been captured a few times.
func (p *Process) mapStacks() {
	for i := range p.held {
		h := &p.held[i]
		if !p.sharing.on || p.sharing.refused {
			return
		}
		p.askForeseen(&h.foreseen)
		if h.stack.seen < mapAfter || h.stack.tried >= maxMapTry {
			continue
		}
		if m := h.stack.mapping; m == nil || m.start != h.stack.start || m.end != h.stack.end {
			p.mapStack(h)
		}
	}
}

// mapStack maps a thread's stack. It replaces a mapping of a stack that the thread has left or
// that has grown.
func (p *Process) mapStack(h *held) {
	k := h.stack
	p.leave(h)
	p.unmapLeft()
	h.stack.tried++
	size := uint64(k.end - k.start)
	if size > maxMapping || p.sharing.size+size > maxMapped || p.sharing.count >= maxMappings {
		return
	}
	b, r := p.remap(k.start, size)
	if r != success {
		p.refuse(r)
		return
	}
	p.sharing.count++
	p.sharing.size += size
	m := &mapping{start: k.start, end: k.end, bytes: b, from: k.from}
	m.first = make([]byte, min(k.size, firstSize))
	if !p.prove(m) || !m.copy(m.first, m.from) {
		p.unmap(m)
		return
	}
	h.stack.start, h.stack.end, h.stack.mapping = k.start, k.end, m
}

// remap maps memory by mach_vm_remap_new, which either port allows and which grants only what is
// requested or, with the control port, by mach_vm_remap.
func (p *Process) remap(a task.Addr, size uint64) (b []byte, r Return) {
	r = notSupported
	if !p.sharing.noNew {
		b, r = p.k.remapNew(p.task, a, size)
	}
	if r == success || !p.sharing.control || passes(r) {
		return b, r
	}
	p.sharing.noNew = true
	if b, r = p.k.remap(p.task, a, size); r != success {
		return nil, r
	}
	if r = p.k.readOnly(b); r != success {
		p.unmapBytes(b)
		return nil, r
	}
	return b, success
}

// refuse records a refusal, unless it is about this one stack only.
func (p *Process) refuse(r Return) {
	if !passes(r) {
		p.sharing.refused = true
	}
}

// passes reports whether a refusal is temporary, because the target has changed its map
// meanwhile.
func passes(r Return) bool { return r == invalidAddress || r == protectionFailure }

// prove verifies with the kernel that a mapping shows a single VM object, and that the target
// has the same object at that place.
func (p *Process) prove(m *mapping) bool {
	own, r := p.k.backing(m.bytes)
	if r != success || own.size < uint64(len(m.bytes)) {
		return false
	}
	m.object, m.offset = own.object, own.offset
	return p.still(m, m.start, m.end)
}

// still reports whether the target still has a mapping's memory at [from, to), which may consist
// of several regions by now.
func (p *Process) still(m *mapping, from, to task.Addr) bool {
	for range maxJoined {
		r, ret := p.k.regionRecurse(p.task, from)
		if ret != success || !r.contains(from) || r.object != m.object ||
			r.offset+uint64(from-r.start) != m.offset+uint64(from-m.start) {
			return false
		}
		if r.end >= to {
			return true
		}
		from = r.end
	}
	return false
}

// unmapLeft unmaps the mappings that were left.
func (p *Process) unmapLeft() {
	for i, m := range p.sharing.left {
		p.unmap(m)
		p.sharing.left[i] = nil
	}
	p.sharing.left = p.sharing.left[:0]
}

func (p *Process) unmap(m *mapping) {
	p.unmapBytes(m.bytes)
	p.sharing.count--
	p.sharing.size -= uint64(m.end - m.start)
	m.bytes = nil
}

func (p *Process) unmapBytes(b []byte) {
	for range releaseTries {
		if p.k.unmap(b) == success {
			return
		}
	}
	p.lost++
}
