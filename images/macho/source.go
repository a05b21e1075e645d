package macho

import (
	"errors"
	"io"

	"stacksnap/images/object"
	"stacksnap/task"
)

// source is where a Mach-O's bytes come from. Its methods may return fewer bytes than
// asked for, with or without an error.
type source interface {
	// readLinkEdit reads at a file offset given in the load commands.
	readLinkEdit(p []byte, offset uint64) (int, error)
	// readSection reads from offset at of a section.
	readSection(p []byte, s *Section, at uint64) (int, error)
	// readVM reads at a vmaddr.
	readVM(p []byte, vmaddr uint64) (int, error)
}

var errNotMapped = errors.New("not in any segment")

// fileSource is a thin Mach-O file, or one slice of a fat one.
type fileSource struct {
	r        *io.SectionReader
	segments []object.Segment
}

func (f *fileSource) readLinkEdit(p []byte, offset uint64) (int, error) {
	if offset >= uint64(f.r.Size()) {
		return 0, io.ErrUnexpectedEOF
	}
	return f.r.ReadAt(p, int64(offset))
}

func (f *fileSource) readSection(p []byte, s *Section, at uint64) (int, error) {
	if s.Offset == 0 {
		return 0, errNotMapped // a dSYM has the addresses of __TEXT but not its bytes
	}
	return f.readLinkEdit(p, uint64(s.Offset)+at)
}

func (f *fileSource) readVM(p []byte, vmaddr uint64) (int, error) {
	for _, s := range f.segments {
		if at := vmaddr - s.VMAddr; vmaddr >= s.VMAddr && at < s.FileSize {
			p = p[:min(uint64(len(p)), s.FileSize-at)]
			if s.Offset+at < s.Offset {
				return 0, errNotMapped
			}
			return f.readLinkEdit(p, s.Offset+at)
		}
	}
	return 0, errNotMapped
}

// memorySource is an image mapped in a process.
type memorySource struct {
	mem      task.Memory
	slide    uint64
	linkedit object.Segment
}

// readLinkEdit reads at the address of a file offset:
// address = offset − __LINKEDIT.fileoff + __LINKEDIT.vmaddr + slide.
// In the shared cache offsets are those of the cache file, and so is fileoff.
func (m *memorySource) readLinkEdit(p []byte, offset uint64) (int, error) {
	at := offset - m.linkedit.Offset
	if offset < m.linkedit.Offset || at >= m.linkedit.FileSize {
		return 0, errNotMapped
	}
	p = p[:min(uint64(len(p)), m.linkedit.FileSize-at)]
	return m.readVM(p, m.linkedit.VMAddr+at)
}

func (m *memorySource) readSection(p []byte, s *Section, at uint64) (int, error) {
	if s.Prot == 0 {
		return 0, errNotMapped
	}
	return m.readVM(p, s.VMAddr+at)
}

func (m *memorySource) readVM(p []byte, vmaddr uint64) (int, error) {
	return m.mem.ReadMemory(p, task.Addr(vmaddr+m.slide))
}

// readChunk is how much readAll allocates at once, so that a wrong size costs no more
// memory than there is to read.
const readChunk = 1 << 20

// readAll reads size bytes through read, which gets the position.
func readAll(size uint64, read func(p []byte, at uint64) (int, error)) ([]byte, error) {
	var b []byte
	for uint64(len(b)) < size {
		n := int(min(size-uint64(len(b)), readChunk))
		at := len(b)
		b = append(b, make([]byte, n)...)
		got, err := read(b[at:], uint64(at))
		if got < n && got > 0 && err == nil {
			b = b[:at+got]
			continue
		}
		if got < n {
			return nil, errors.Join(err, io.ErrUnexpectedEOF)
		}
	}
	return b, nil
}
