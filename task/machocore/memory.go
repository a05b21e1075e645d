package machocore

import (
	"errors"
	"io"

	"stacksnap/task"
)

// memory is a core's memory, read from the file when asked for.
type memory struct{ p *Process }

// Memory returns the saved memory. What the core lacks is taken from the
// backing, if there is one.
func (p *Process) Memory() task.Memory { return memory{p} }

// Back gives the memory to ask for what the core does not hold: binaries on
// disk whose UUIDs were found to agree, read at the addresses they were mapped
// to. Only memory that nobody wrote to can be had so.
func (p *Process) Back(m task.Memory) { p.backing = m }

// ReadMemory implements [task.Memory].
func (m memory) ReadMemory(b []byte, a task.Addr) (int, error) {
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

// readSome reads what one segment, or the backing, has at a: at least a byte,
// or an error.
func (m memory) readSome(b []byte, a task.Addr) (int, error) {
	i, ok := find(m.p.segments, a)
	if !ok {
		if i < len(m.p.segments) {
			b = b[:min(uint64(len(b)), uint64(m.p.segments[i].start-a))]
		}
		return m.readBacking(b, a)
	}
	s := m.p.segments[i]
	at := uint64(a - s.start)
	if at >= s.kept {
		return m.readBacking(b[:min(uint64(len(b)), uint64(s.end-a))], a)
	}
	b = b[:min(uint64(len(b)), s.kept-at)]
	n, err := m.p.file.ReadAt(b, s.offset+int64(at))
	if n == len(b) {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		err = nil // the file was cut while it was being read
	}
	return n, &task.FaultError{Addr: a + task.Addr(n), Err: err}
}

func (m memory) readBacking(b []byte, a task.Addr) (int, error) {
	if m.p.backing == nil {
		return 0, &task.FaultError{Addr: a, Err: m.p.notSaved}
	}
	n, err := m.p.backing.ReadMemory(b, a)
	if n == len(b) || err != nil {
		return n, err
	}
	return n, &task.FaultError{Addr: a + task.Addr(n), Err: m.p.notSaved}
}
