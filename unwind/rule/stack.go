package rule

import (
	"encoding/binary"

	"stacksnap/task"
)

// Stack reads pointers from the captured stack of one thread. It remembers the
// captured range that it read last, which is nearly always the next one too.
type Stack struct {
	thread *task.Thread
	size   uint64 // of a pointer: 4 or 8
	// The range read last, if pointers have 8 bytes. A whole pointer can be read at
	// every offset below room.
	base  uint64
	room  uint64
	bytes []byte

	// Missed is the first address that the last failed read lacked.
	Missed task.Addr
}

// Reset makes s read the stack of t.
func (s *Stack) Reset(t *task.Thread) {
	*s = Stack{thread: t, size: uint64(t.Registers.Arch.PointerSize())}
}

// Pointer reads the pointer at a, and reports false when it was not captured.
func (s *Stack) Pointer(a task.Addr) (uint64, bool) {
	if off := uint64(a) - s.base; off < s.room {
		return binary.LittleEndian.Uint64(s.bytes[off:]), true
	}
	return s.seek(a)
}

// seek reads outside the last range, or across its end.
func (s *Stack) seek(a task.Addr) (uint64, bool) {
	var b [8]byte
	n, _ := s.thread.ReadMemory(b[:s.size], a)
	if uint64(n) < s.size {
		s.Missed = a + task.Addr(n)
		return 0, false
	}
	if s.size == 8 {
		s.remember(a)
	}
	return binary.LittleEndian.Uint64(b[:]), true
}

func (s *Stack) remember(a task.Addr) {
	for i := range s.thread.Stacks {
		if r := &s.thread.Stacks[i]; r.Contains(a, 8) {
			s.base, s.bytes, s.room = uint64(r.Base), r.Bytes, uint64(len(r.Bytes)-7)
			return
		}
	}
}
