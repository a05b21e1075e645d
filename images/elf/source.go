package elf

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"

	"stacksnap/images/dwarf"
	"stacksnap/images/object"
)

// Source returns the function that vmaddr is in and where it is in the source, last,
// and before it the calls that were inlined there, as [dwarf.Data.Frames] does: of Go's
// code by its table, of other by the debugging information of the file, or else of its
// separate debug file, and of the files that these name.
func (f *File) Source(vmaddr uint64) []object.Source {
	if f.closed.Load() {
		return nil
	}
	if frames := f.golang().Source(vmaddr); frames != nil {
		return frames
	}
	return f.source().Frames(vmaddr)
}

// HasSource tells whether the file itself has debugging information.
func (f *File) HasSource() bool {
	_, ok := f.debugSection("info")
	return ok
}

// Sourced tells whether the file or its separate debug file has debugging information.
func (f *File) Sourced() bool {
	if f.HasSource() {
		return true
	}
	d := f.debug()
	return d != nil && d.HasSource()
}

func (f *File) readSource() *dwarf.Data {
	if !f.HasSource() {
		if d := f.debug(); d != nil && d.HasSource() {
			return d.source()
		}
	}
	d := dwarf.New(f.openSource, f.budget)
	d.Related = f.related.dwarf()
	return d
}

// debugSection returns a section of debugging information by its name without
// .debug_ or GNU's older .zdebug_.
func (f *File) debugSection(name string) (*elf.Section, bool) {
	for _, prefix := range []string{".debug_", zdebug} {
		if s := f.elf.Section(prefix + name); s != nil && s.Type != elf.SHT_NOBITS {
			return s, true
		}
	}
	return nil, false
}

const zdebug = ".zdebug_"

// openSource opens a section to be read in pieces, or decompresses it.
func (f *File) openSource(name string) dwarf.Section {
	s, ok := f.debugSection(name)
	switch {
	case !ok || !f.holds(s):
		return nil
	case s.Flags&elf.SHF_COMPRESSED != 0:
		return f.inflating(s.Open(), s.Size)
	case strings.HasPrefix(s.Name, zdebug):
		return f.inflatingGNU(s)
	}
	return io.NewSectionReader(s, 0, int64(s.FileSize))
}

// inflatingGNU decompresses such a section as far as it is read.
func (f *File) inflatingGNU(s *elf.Section) dwarf.Section {
	z, size, err := openGNU(s)
	if err != nil {
		return nil
	}
	return f.inflating(z, size)
}

// openGNU decompresses a section that begins with "ZLIB" and its size, of which
// it tells what is claimed.
func openGNU(s *elf.Section) (z io.Reader, size uint64, err error) {
	const head = 12
	r := io.NewSectionReader(s, 0, int64(s.FileSize))
	b := make([]byte, head)
	if _, err := io.ReadFull(r, b); err != nil || !bytes.HasPrefix(b, []byte("ZLIB")) {
		return nil, 0, errNoZLIB
	}
	z, err = zlib.NewReader(r)
	return z, binary.BigEndian.Uint64(b[4:]), err
}

var errNoZLIB = errors.New("a .zdebug section does not begin with ZLIB and a size")

func (f *File) inflating(r io.Reader, size uint64) dwarf.Section {
	if size > maxSection {
		return nil
	}
	return &inflating{r: r, size: int64(size), budget: f.budget}
}

// inflating is a section that is decompressed as far as it is read: the unit that an
// address is in is often near the beginning of a large file. It is used by one
// goroutine at a time.
type inflating struct {
	r      io.Reader
	size   int64 // as claimed
	budget *object.Budget
	data   []byte
	err    error // there is no more
}

// Size implements [dwarf.Section].
func (s *inflating) Size() int64 { return s.size }

// ReadAt implements [io.ReaderAt].
func (s *inflating) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > s.size {
		return 0, io.EOF
	}
	end := min(off+int64(len(p)), s.size)
	for int64(len(s.data)) < end && s.err == nil {
		s.err = s.grow()
	}
	n, err := dwarf.Bytes(s.data).ReadAt(p, off)
	if err != nil && s.err != nil {
		err = s.err
	}
	return n, err
}

// inflatePiece is by how many bytes a section grows.
const inflatePiece = 256 << 10

func (s *inflating) grow() error {
	had := len(s.data)
	piece := min(inflatePiece, int(s.size)-had)
	if !s.budget.Keep(uint64(piece)) {
		return object.ErrBudget
	}
	s.data = slices.Grow(s.data, piece)
	n, err := io.ReadFull(s.r, s.data[had:had+piece])
	s.data = s.data[:had+n]
	s.budget.Return(uint64(piece - n))
	return err
}
