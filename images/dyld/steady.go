package dyld

import (
	"bytes"
	"errors"

	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
)

const (
	steadyTries = 8
	// maxCopied is the maximum size of a segment that is read ahead.
	maxCopied = 32 << 20
)

var (
	errGone   = errors.New("the image has been unloaded")
	errMoving = errors.New("images were loaded or unloaded each time that it was read")
)

// steady is an image's memory. A read succeeds only if it certainly is of that image:
// the list does not change meanwhile, and the image is still there afterwards.
type steady struct {
	mem      task.Memory
	list     *place // where the list is
	guarded  bool   // reads are checked by the fields below
	idAt     task.Addr
	id       []byte
	settled  bool // it was there while other images came and went
	churning bool // it was seen to come or go
	spoiled  bool // a read was refused
	kept     bool // the contents needed later are in copies or file
	copies   []copied
	image    *macho.File // as mapped
	asked    bool        // findFile has run
	file     *macho.File // certainly the image's own; nil: not known
}

// copied is a part of the image that was read ahead.
type copied struct {
	start task.Addr
	data  []byte
}

// ReadMemory implements [task.Memory].
func (m *steady) ReadMemory(p []byte, a task.Addr) (int, error) {
	if !m.guarded {
		return m.mem.ReadMemory(p, a)
	}
	if n := m.readKept(p, a); n > 0 {
		if n == len(p) {
			return n, nil
		}
		more, err := m.ReadMemory(p[n:], a+task.Addr(n))
		return n + more, err
	}
	n, err, refused := m.read(p, a)
	if refused != nil && m.findFile() {
		return m.ReadMemory(p, a)
	}
	if refused != nil {
		m.spoiled = true
		return 0, &task.FaultError{Addr: a, Err: refused}
	}
	return n, err
}

// readKept reads from what was copied or is in the image's file, as far as that is
// contiguous.
func (m *steady) readKept(p []byte, a task.Addr) int {
	for _, c := range m.copies {
		if a >= c.start && a-c.start < task.Addr(len(c.data)) {
			return copy(p, c.data[a-c.start:])
		}
	}
	if m.file == nil {
		return 0
	}
	vmaddr := uint64(a) - m.image.Slide()
	for _, s := range m.file.Segments() {
		if at := vmaddr - s.VMAddr; isConstant(&s) && vmaddr >= s.VMAddr && at < s.FileSize {
			n, _ := m.file.ReadCode(p[:min(uint64(len(p)), s.FileSize-at)], vmaddr) // 0: the memory is read
			return n
		}
	}
	return 0
}

// isConstant reports whether a segment has code or symbols, and is the same in memory
// as in the file.
func isConstant(s *object.Segment) bool {
	return s.Prot != 0 && s.Prot&task.Write == 0 && (s.Prot&task.Execute != 0 || s.Name == "__LINKEDIT")
}

// read reads memory that certainly is the image's, or returns why not in refused.
func (m *steady) read(p []byte, a task.Addr) (n int, err, refused error) {
	for range steadyTries {
		before, beforeErr := m.generation()
		n, err = m.mem.ReadMemory(p, a)
		if !m.isThere() {
			return 0, nil, errGone
		}
		after, afterErr := m.generation()
		if beforeErr == nil && afterErr == nil && before == after {
			return n, err, nil
		}
	}
	if m.settled && !m.churning {
		return n, err, nil
	}
	return 0, nil, errMoving
}

func (m *steady) generation() (Generation, error) {
	infos, err := ReadInfos(m.mem, m.list.at, m.list.pointer)
	return infos.Generation(), err
}

// isThere reports whether the image is still there, by its ID. One without an ID is
// assumed to be, as long as the list does not change.
func (m *steady) isThere() bool {
	if m.idAt == 0 {
		return true
	}
	var b [16]byte
	return task.ReadFull(m.mem, b[:], m.idAt) == nil && bytes.Equal(b[:], m.id)
}

// keep makes the code and symbols of an image available after it is gone: from its
// own file, or else from a copy.
func (m *steady) keep() {
	m.kept = true
	if m.findFile(); m.file == nil {
		m.readAhead()
	}
}

// findFile looks for the image's own file, once, and reports whether it was found
// now.
func (m *steady) findFile() bool {
	if m.image == nil || m.asked {
		return false
	}
	m.asked, m.file = true, m.image.MappedFile()
	return m.file != nil
}

// readAhead copies the constant segments.
func (m *steady) readAhead() {
	for _, s := range m.image.Segments() {
		if !isConstant(&s) || s.Size > maxCopied || !m.image.Keep(s.Size) {
			continue
		}
		b, start := make([]byte, s.Size), task.Addr(s.VMAddr+m.image.Slide())
		if n, _, refused := m.read(b, start); refused == nil && n > 0 {
			m.copies = append(m.copies, copied{start, b[:n]})
		}
	}
}
