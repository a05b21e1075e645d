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
	// maxCopied is how much is copied of an image that comes and goes.
	maxCopied = 32 << 20
)

var (
	errGone   = errors.New("the image has been unloaded")
	errMoving = errors.New("images were loaded or unloaded each time that it was read")
)

// steady is an image's memory, of which nothing is read that is another's: while
// it is read, the list does not change, and after it the image is still there.
type steady struct {
	mem      task.Memory
	list     *place // where that is
	guarded  bool   // by what follows
	idAt     task.Addr
	id       []byte
	settled  bool // it has stood while other images came and went
	restless bool // it was seen to come or go
	spoiled  bool // a read was refused
	kept     bool // what will be asked is there, in copies or in file
	copies   []copied
	image    *macho.File // as it is mapped
	asked    bool        // for the image's file
	file     *macho.File // its own, for certain; nil: that is not known
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

// readKept reads from what does not go with the image, as much as there is of it
// in one piece.
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
			n, _ := m.file.ReadCode(p[:min(uint64(len(p)), s.FileSize-at)], vmaddr) // of none the memory is asked
			return n
		}
	}
	return 0
}

// isConstant reports whether a segment has code or symbols, and is in memory as it
// is in the file.
func isConstant(s *object.Segment) bool {
	return s.Prot != 0 && s.Prot&task.Write == 0 && (s.Prot&task.Execute != 0 || s.Name == "__LINKEDIT")
}

// read reads what is surely the image's, or says why not.
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
	if m.settled && !m.restless {
		return n, err, nil
	}
	return 0, nil, errMoving
}

func (m *steady) generation() (Generation, error) {
	infos, err := ReadInfos(m.mem, m.list.at, m.list.pointer)
	return infos.Generation(), err
}

// isThere reports whether the image is, by its ID. One without is taken to be, while
// the list does not change.
func (m *steady) isThere() bool {
	if m.idAt == 0 {
		return true
	}
	var b [16]byte
	return task.ReadFull(m.mem, b[:], m.idAt) == nil && bytes.Equal(b[:], m.id)
}

// keep has the code and the symbols of an image that may not stay long at hand when
// it has gone: in its own file, or else copied.
func (m *steady) keep() {
	m.kept = true
	if m.findFile(); m.file == nil {
		m.readAhead()
	}
}

// findFile looks for the image's own file, once, and reports whether it was found now.
func (m *steady) findFile() bool {
	if m.image == nil || m.asked {
		return false
	}
	m.asked, m.file = true, m.image.MappedFile()
	return m.file != nil
}

// readAhead copies them.
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
