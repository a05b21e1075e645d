package recording

import (
	"errors"
	"slices"
	"sync"

	"stacksnap/task"
)

// Reads is a memory that records what is read of it, for a [Writer]. It is as safe
// for concurrent use as the memory that it wraps.
type Reads struct {
	of task.Memory

	mu     sync.Mutex
	store  store
	noted  []task.Addr // keys of the chunks still to be written
	faults []task.Addr // addresses still to be written
}

// NewReads returns a memory that reads m and records what was read, for a [Writer].
func NewReads(m task.Memory) *Reads { return &Reads{of: m, store: newStore()} }

// ReadMemory implements [task.Memory].
func (r *Reads) ReadMemory(p []byte, a task.Addr) (int, error) {
	n, err := r.of.ReadMemory(p, a)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.store.put(a, p[:n], func(key task.Addr, c *chunk) {
		if !c.noted {
			c.noted = true
			r.noted = append(r.noted, key)
		}
	})
	if n < len(p) {
		r.noteFault(a+task.Addr(n), err)
	}
	return n, err
}

// noteFault records that a is unreadable, with the reason inside a FaultError.
func (r *Reads) noteFault(a task.Addr, err error) {
	var fault *task.FaultError
	if errors.As(err, &fault) && fault.Addr == a {
		err = fault.Err
	}
	_, known := r.store.faults[a]
	if !known && len(r.store.faults) >= maxFaults {
		return
	}
	if gone := r.store.forget(a); known && !gone {
		return
	}
	r.store.faults[a] = errorText(err)
	r.faults = append(r.faults, a)
}

// flush writes to w what was recorded since the last flush.
func (r *Reads) flush(w *Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(r.noted)
	for _, key := range r.noted {
		c := r.store.chunks[key]
		c.noted = false
		for at := 0; at < chunkSize; {
			n := min(c.knownFrom(at), chunkSize-at)
			if n > 0 {
				w.memory(key*chunkSize+task.Addr(at), c.data[at:at+n])
			}
			at += n + 1
		}
	}
	for _, a := range r.faults {
		if !r.store.knows(a) { // it has been read since
			w.fault(a, r.store.faults[a])
		}
	}
	r.noted, r.faults = r.noted[:0], r.faults[:0]
}
