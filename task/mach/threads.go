package mach

import (
	"slices"

	"stacksnap/task"
)

// spareThreads is how many more threads than at the last listing a stop has room for. Its
// listing omits any further threads.
const spareThreads = 64

// Threads lists the threads in the kernel's order, oldest first. We hold one reference to the
// port of every listed thread until a later listing does not contain it. While the target is
// stopped, threads that find no room are omitted.
//
// A right to a port has one name in our space however often it is received
// (osfmk/ipc/ipc_object.c, ipc_object_copyout), and a name stays in use while we have a
// reference to it, even when its thread has ended. So the name shows whether a thread is known.
func (p *Process) Threads() ([]task.ThreadID, error) {
	ports, r := p.k.threads(p.task)
	if r != success {
		return nil, p.taskError("task_threads", r)
	}
	if !p.stopped {
		p.reserve(len(ports))
		p.halted = p.isHalted()
	}
	p.next, p.ids = p.next[:0], p.ids[:0]
	for _, name := range ports {
		p.hold(name)
	}
	p.dropRest()
	if p.stopped && p.unfreed == nil {
		p.unfreed = ports
	} else {
		p.freePorts(ports)
	}
	p.held, p.next, p.at = p.next, p.held, 0
	for _, h := range p.held {
		p.ids = append(p.ids, h.id)
	}
	return p.ids, nil
}

// reserve makes room for n threads and those that may appear in a stop.
func (p *Process) reserve(n int) {
	n += spareThreads
	p.held = slices.Grow(p.held, max(0, n-len(p.held)))
	p.next = slices.Grow(p.next[:0], n)
	p.ids = slices.Grow(p.ids[:0], n)
	// A listing in a stop has to release one reference for each thread that was already known,
	// and one for each that no longer exists.
	p.owed = slices.Grow(p.owed, 2*n)
	p.foreseen = slices.Grow(p.foreseen[:0], n)
	if cap(p.failures) < n || len(p.failures) > 0 {
		p.failures = make([]captureError, 0, n)
	}
}

// hold takes over one reference from a listing's array.
func (p *Process) hold(name port) {
	if !name.valid() {
		return // the thread ended while it was listed
	}
	h, known := p.take(name)
	if known {
		p.owe(name) // we already held one
	} else if !p.identify(&h, name) {
		p.owe(name)
		return
	}
	if len(p.next) == cap(p.next) {
		p.leave(&h)
		p.owe(name)
		return
	}
	p.next = append(p.next, h)
}

// take moves a thread out of the last listing, by its port's name.
func (p *Process) take(name port) (held, bool) {
	i, found := p.search(func(h held) bool { return h.port == name })
	if !found {
		return held{port: name}, false
	}
	h := p.held[i]
	p.held[i].port = portNull
	return h, true
}

// identify reads the id of a new thread. If that is refused although the thread lives, the name
// of its port takes the place of the id.
func (p *Process) identify(h *held, name port) bool {
	who, r := p.k.identity(name)
	if r != success && (r.ended() || p.k.isDead(name)) {
		return false
	}
	h.id = who.id
	if r != success || who.id == 0 {
		h.id = task.ThreadID(name)
	}
	return true
}

// dropRest releases the threads of the last listing that are not in the new one.
func (p *Process) dropRest() {
	for i := range p.held {
		if h := &p.held[i]; h.port != portNull {
			p.leave(h)
			p.owe(h.port)
		}
	}
	p.held = p.held[:0]
}

// owe releases a reference: at once while the target runs, otherwise after the stop, as far as
// there is room to record it.
func (p *Process) owe(name port) {
	if p.stopped && len(p.owed) < cap(p.owed) {
		p.owed = append(p.owed, name)
		return
	}
	p.giveBack(name)
}

func (p *Process) freePorts(ports []port) {
	if len(ports) == 0 {
		return // the kernel returned no array
	}
	for range releaseTries {
		if p.k.freePorts(ports) == success {
			return
		}
	}
	p.lost++
}

// search searches the held threads from where the last search ended, because listings and their
// readers go in the same order.
func (p *Process) search(match func(held) bool) (int, bool) {
	n := len(p.held)
	for i := range n {
		j := (p.at + i) % n
		if match(p.held[j]) {
			p.at = j + 1
			return j, true
		}
	}
	return 0, false
}

// find returns the port of a listed thread.
func (p *Process) find(id task.ThreadID) (port, bool) {
	h := p.lookup(id)
	if h == nil {
		return portNull, false
	}
	return h.port, true
}

// lookup returns a listed thread, nil if there is none with that id. It is valid until the next
// listing.
func (p *Process) lookup(id task.ThreadID) *held {
	i, found := p.search(func(h held) bool { return h.id == id })
	if !found {
		return nil
	}
	return &p.held[i]
}

// threadGone reports whether a result means that the thread has ended.
func (p *Process) threadGone(name port, r Return) bool {
	return r.ended() || r.mayHaveEnded() && p.k.isDead(name)
}
