package task

import (
	"encoding/binary"
	"slices"
)

// MaxWatch is the most addresses that are looked at in each stop of a sampling,
// MaxIDs the most images whose ID is read in it.
const (
	MaxWatch = 32
	MaxIDs   = 48
)

// Watch is what to look at while something stands. The zero Watch is nothing.
type Watch struct {
	// Mapped are addresses at which the mapping is asked for, when the process has a [MapReader].
	Mapped []Addr
	// Mark is the address of a word that is read: of 8 bytes, in the order of
	// little-endian machines; 0: none.
	Mark Addr
	// IDs are where the IDs of images stand, each of 16 bytes.
	IDs []Addr
}

// Sight is what was seen of the target while a thread stood, beside the thread
// itself: see [Options].Watch and [Snapshot].Watch. Of a thread that was read
// without a stop it is what was seen alike right before and right after; where
// the two differ there is nothing.
type Sight struct {
	Mapped  []Seen // of the watched addresses at which it could be told
	Mark    uint64
	HasMark bool
	IDs     []SeenID // of all addresses that were watched
}

// Seen is what code was mapped at an address: none when Mapped is zero.
type Seen struct {
	At Addr
	Mapped
}

// SeenID is the ID that stood at an address: zero when it could not be read.
type SeenID struct {
	At Addr
	ID [16]byte
}

// IDAt returns what stood at a watched address.
func (s *Sight) IDAt(a Addr) (id [16]byte, watched bool) {
	for i := range s.IDs {
		if s.IDs[i].At == a {
			return s.IDs[i].ID, true
		}
	}
	return id, false
}

func newSight() Sight {
	return Sight{Mapped: make([]Seen, 0, MaxWatch), IDs: make([]SeenID, 0, MaxIDs)}
}

// reserve makes room for what w watches.
func (s *Sight) reserve(w *Watch) {
	s.Mapped, s.IDs = slices.Grow(s.Mapped[:0], len(w.Mapped)), slices.Grow(s.IDs[:0], len(w.IDs))
}

func (s *Sight) clear() { s.Mapped, s.Mark, s.HasMark, s.IDs = s.Mapped[:0], 0, false, s.IDs[:0] }

func (s *Sight) equals(o *Sight) bool {
	return s.Mark == o.Mark && s.HasMark == o.HasMark && slices.Equal(s.Mapped, o.Mapped) && slices.Equal(s.IDs, o.IDs)
}

// keep copies o into buffers of its own.
func (s *Sight) keep(o *Sight) {
	s.Mapped, s.IDs = append(s.Mapped[:0], o.Mapped...), append(s.IDs[:0], o.IDs...)
	s.Mark, s.HasMark = o.Mark, o.HasMark
}

// lookout looks while something stands: it allocates nothing.
type lookout struct {
	maps   MapReader // nil: none
	memory Memory
	watch  Watch
	before Sight
	word   [8]byte
	id     [16]byte
}

func newLookout(p Process) lookout {
	return lookout{maps: p.Capabilities().Maps, memory: p.Memory(), before: newSight()}
}

// next takes what is to be looked at in the next snapshot.
func (l *lookout) next(watch func() Watch) {
	if watch == nil {
		return
	}
	l.watch = watch()
	l.watch.Mapped = l.watch.Mapped[:min(len(l.watch.Mapped), MaxWatch)]
	l.watch.IDs = l.watch.IDs[:min(len(l.watch.IDs), MaxIDs)]
}

// look fills in s.
func (l *lookout) look(s *Sight) {
	s.clear()
	if l.maps != nil && len(l.watch.Mapped) > 0 {
		l.lookAtMappings(s)
	}
	l.lookAtIDs(s)
	if l.watch.Mark == 0 {
		return
	}
	if n, _ := l.memory.ReadMemory(l.word[:], l.watch.Mark); n == len(l.word) {
		s.Mark, s.HasMark = binary.LittleEndian.Uint64(l.word[:]), true
	}
}

func (l *lookout) lookAtIDs(s *Sight) {
	for _, a := range l.watch.IDs {
		if len(s.IDs) == cap(s.IDs) {
			return
		}
		if n, _ := l.memory.ReadMemory(l.id[:], a); n < len(l.id) {
			l.id = [16]byte{}
		}
		s.IDs = append(s.IDs, SeenID{a, l.id})
	}
}

func (l *lookout) lookAtMappings(s *Sight) {
	l.maps.Renew()
	for _, a := range l.watch.Mapped {
		if m, _, err := l.maps.MappedAt(a); err == nil && len(s.Mapped) < cap(s.Mapped) {
			s.Mapped = append(s.Mapped, Seen{a, m})
		}
	}
}
