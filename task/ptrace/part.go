//go:build linux

package ptrace

// narrow reduces the thread table to options.Part, so that only these threads are suspended.
func (p *Process) narrow() {
	if p.options.Part == nil {
		return
	}
	p.Refill(!p.stopsNone)
	t := &p.threads
	part := t.part[:0]
	for _, id := range p.options.Part {
		if th := t.find(int(id)); th != nil && th.phase == listed {
			part = append(part, *th)
		}
	}
	t.whole, t.all, t.hint = t.all, part, 0
}

// widen restores the whole table, and updates it from the part.
func (p *Process) widen() {
	t := &p.threads
	if t.whole == nil {
		return
	}
	t.all, t.whole, t.part, t.hint = t.whole, nil, t.all, 0
	for i := range t.part {
		if th := t.find(t.part[i].tid); th != nil {
			*th = t.part[i]
		}
	}
	if p.Mem.Replaced() { // a thread that called exec has the first thread's id now, and may be attached
		if th := t.find(p.PID); th != nil && th.phase == listed {
			th.phase = seized
		}
	}
}
