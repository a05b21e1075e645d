package task

import (
	"encoding/binary"
	"slices"
)

// MaxWatch is how many addresses are probed at most in each stop of a sampling, MaxIDs how many
// image IDs are read at most.
const (
	MaxWatch = 32
	MaxIDs   = 48
)

// Watch lists what to read of the target, besides threads, while it is stopped. The zero Watch
// lists nothing.
type Watch struct {
	// Mapped are addresses whose mappings are looked up, if the process has a [MapReader].
	Mapped []Addr
	// Mark is the address of an 8-byte little-endian word to read; 0: none.
	Mark Addr
	// IDs are the addresses of image IDs, of 16 bytes each.
	IDs []Addr
	// Chains are the chains to copy together with a thread's stack.
	Chains map[ThreadID][]Chain
}

// StopProbe is what was read of the target while a thread was stopped, besides the thread
// itself: see [Options].Watch and [Snapshot].Watch. If the thread was read without a stop, the
// probe is made right before and right after; where the two differ, the StopProbe is empty.
type StopProbe struct {
	Mapped  []ProbedMapping // for those watched addresses that could be looked up
	Mark    uint64
	HasMark bool
	IDs     []ProbedID // for all watched addresses
}

// ProbedMapping is the code that was mapped at an address; Mapped is zero if there was none.
type ProbedMapping struct {
	At Addr
	Mapped
}

// ProbedID is the image ID at an address, zero if it could not be read.
type ProbedID struct {
	At Addr
	ID [16]byte
}

// IDAt returns the ID at an address. watched is false if the address was not probed.
func (s *StopProbe) IDAt(a Addr) (id [16]byte, watched bool) {
	for i := range s.IDs {
		if s.IDs[i].At == a {
			return s.IDs[i].ID, true
		}
	}
	return id, false
}

func newStopProbe() StopProbe {
	return StopProbe{Mapped: make([]ProbedMapping, 0, MaxWatch), IDs: make([]ProbedID, 0, MaxIDs)}
}

// reserve makes room for what w watches.
func (s *StopProbe) reserve(w *Watch) {
	s.Mapped, s.IDs = slices.Grow(s.Mapped[:0], len(w.Mapped)), slices.Grow(s.IDs[:0], len(w.IDs))
}

func (s *StopProbe) clear() { s.Mapped, s.Mark, s.HasMark, s.IDs = s.Mapped[:0], 0, false, s.IDs[:0] }

func (s *StopProbe) equals(o *StopProbe) bool {
	return s.Mark == o.Mark && s.HasMark == o.HasMark && slices.Equal(s.Mapped, o.Mapped) && slices.Equal(s.IDs, o.IDs)
}

// keep copies o into buffers of its own.
func (s *StopProbe) keep(o *StopProbe) {
	s.Mapped, s.IDs = append(s.Mapped[:0], o.Mapped...), append(s.IDs[:0], o.IDs...)
	s.Mark, s.HasMark = o.Mark, o.HasMark
}

// prober reads a StopProbe while something is stopped: it allocates nothing.
type prober struct {
	maps   MapReader // nil: none
	memory Memory
	watch  Watch
	before StopProbe
	word   [8]byte
	id     [16]byte
}

func newProber(p Process) prober {
	return prober{maps: p.Capabilities().Maps, memory: p.Memory(), before: newStopProbe()}
}

// next gets the list of what to probe in the next snapshot.
func (l *prober) next(watch func() Watch) {
	if watch == nil {
		return
	}
	l.watch = watch()
	l.watch.Mapped = l.watch.Mapped[:min(len(l.watch.Mapped), MaxWatch)]
	l.watch.IDs = l.watch.IDs[:min(len(l.watch.IDs), MaxIDs)]
}

// probe fills in s.
func (l *prober) probe(s *StopProbe) {
	s.clear()
	if l.maps != nil && len(l.watch.Mapped) > 0 {
		l.probeMappings(s)
	}
	l.probeIDs(s)
	if l.watch.Mark == 0 {
		return
	}
	if n, _ := l.memory.ReadMemory(l.word[:], l.watch.Mark); n == len(l.word) {
		s.Mark, s.HasMark = binary.LittleEndian.Uint64(l.word[:]), true
	}
}

func (l *prober) probeIDs(s *StopProbe) {
	for _, a := range l.watch.IDs {
		if len(s.IDs) == cap(s.IDs) {
			return
		}
		if n, _ := l.memory.ReadMemory(l.id[:], a); n < len(l.id) {
			l.id = [16]byte{}
		}
		s.IDs = append(s.IDs, ProbedID{a, l.id})
	}
}

func (l *prober) probeMappings(s *StopProbe) {
	l.maps.Renew()
	for _, a := range l.watch.Mapped {
		if m, _, err := l.maps.MappedAt(a); err == nil && len(s.Mapped) < cap(s.Mapped) {
			s.Mapped = append(s.Mapped, ProbedMapping{a, m})
		}
	}
}
