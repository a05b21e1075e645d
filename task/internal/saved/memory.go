package saved

import (
	"errors"
	"io"
	"slices"

	"stacksnap/task"
)

// ErrNotSaved is the cause of a fault at memory that the core does not contain.
var ErrNotSaved = errors.New("not saved in the core")

// ErrCut is the cause of a fault at memory in the part of a core that was cut off.
var ErrCut = errors.New("not in the core file, which is cut short")

// Memory is memory saved in pieces in a file, read on demand.
type Memory struct {
	File     io.ReaderAt
	Segments []Segment // by address, without overlap: see Arrange
	// Backing is read where the file has nothing; may be nil.
	Backing task.Memory
	// Missing is the cause of faults; nil means ErrNotSaved.
	Missing error
}

// Arrange sorts the segments, which may be in any order and overlap, and adds a
// problem for overlaps.
func (m *Memory) Arrange(bad *Problems) {
	var overlaps int
	var first task.Addr
	m.Segments, overlaps, first = arrange(m.Segments)
	if overlaps > 0 {
		bad.Add(0, "%d segments overlap others, the first at %v", overlaps, first)
	}
}

// Find returns the index of the segment that contains a, or false and the index of
// the first segment above a.
func (m *Memory) Find(a task.Addr) (int, bool) {
	i, found := slices.BinarySearchFunc(m.Segments, a, func(s Segment, a task.Addr) int {
		if s.Start < a {
			return -1
		}
		return int(min(s.Start-a, 1))
	})
	if found {
		return i, true
	}
	if i > 0 && a < m.Segments[i-1].End {
		return i - 1, true
	}
	return i, false
}

// ReadMemory implements [task.Memory].
func (m *Memory) ReadMemory(b []byte, a task.Addr) (int, error) {
	n := 0
	for n < len(b) {
		got, err := m.readSome(b[n:], a+task.Addr(n))
		n += got
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readSome reads from one segment, or the backing, at a: at least a byte, or an
// error.
func (m *Memory) readSome(b []byte, a task.Addr) (int, error) {
	i, ok := m.Find(a)
	if !ok {
		if i < len(m.Segments) {
			b = b[:min(uint64(len(b)), uint64(m.Segments[i].Start-a))]
		}
		return m.readBacking(b, a)
	}
	s := &m.Segments[i]
	at := uint64(a - s.Start)
	if at >= s.Kept {
		return m.readBacking(b[:min(uint64(len(b)), uint64(s.End-a))], a)
	}
	b = b[:min(uint64(len(b)), s.Kept-at)]
	n, err := m.File.ReadAt(b, s.Offset+int64(at))
	if n == len(b) {
		return n, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = ErrCut // the file was cut while it was being read
	}
	return n, &task.FaultError{Addr: a + task.Addr(n), Err: err}
}

func (m *Memory) readBacking(b []byte, a task.Addr) (int, error) {
	n := 0
	if m.Backing != nil {
		var err error
		if n, err = m.Backing.ReadMemory(b, a); n == len(b) || err != nil {
			return n, err
		}
	}
	missing := m.Missing
	if missing == nil {
		missing = ErrNotSaved
	}
	return n, &task.FaultError{Addr: a + task.Addr(n), Err: missing}
}

// CaptureStack copies the stack of t, whose registers are set, into its buffer: from
// the red zone below its stack pointer up. If the stack pointer is outside all
// segments, t has no stack.
func (m *Memory) CaptureStack(t *task.Thread) {
	t.Stacks = t.Stacks[:0]
	base, top, ok := m.stackBounds(t.Registers.SP())
	if !ok {
		return
	}
	buf := t.Buffer()
	buf = buf[:min(uint64(cap(buf)), uint64(top-base))]
	n, _ := m.ReadMemory(buf, base)
	t.Stacks = append(t.Stacks, task.Stack{Base: base, Bytes: buf[:n], Top: top})
}

// stackBounds returns the used part of the stack that contains sp: from the red zone
// below sp to the end of the contiguous memory. An sp in the guard below a stack
// belongs to that stack.
func (m *Memory) stackBounds(sp task.Addr) (base, top task.Addr, ok bool) {
	i, found := m.Find(sp)
	if !found {
		return 0, 0, false
	}
	base = max(m.Segments[i].Start, sp-min(sp, task.RedZone))
	if m.Segments[i].Prot&task.Write == 0 && m.joined(i, task.Write) {
		base = m.Segments[i].End
		i++
	}
	for top = m.Segments[i].End; m.joined(i, m.Segments[i].Prot); i++ {
		top = m.Segments[i+1].End
	}
	return base, top, true
}

// joined reports whether the segment after i starts where i ends and has prot.
func (m *Memory) joined(i int, prot task.Prot) bool {
	return i+1 < len(m.Segments) && m.Segments[i+1].Start == m.Segments[i].End && m.Segments[i+1].Prot&prot == prot
}
