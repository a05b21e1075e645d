package dwarf

import (
	"debug/elf"
	"io"
	"testing"

	"stacksnap/images/object"
)

// elfData opens the debugging information of an ELF file.
func elfData(t testing.TB, path string, budget *object.Budget) (*Data, *elf.File) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return New(elfSections(f), budget), f
}

func elfSections(f *elf.File) func(string) Section {
	return func(name string) Section {
		s := f.Section(".debug_" + name)
		switch {
		case s == nil:
			return nil
		case s.Flags&elf.SHF_COMPRESSED == 0:
			return &fileSection{s, int64(s.Size)}
		}
		b, err := s.Data()
		if err != nil {
			return nil
		}
		return Bytes(b)
	}
}

// fileSection is a section that is read from the file.
type fileSection struct {
	io.ReaderAt
	size int64
}

func (s *fileSection) Size() int64 { return s.size }

// text lists addresses of the code, every step bytes.
func text(f *elf.File, step uint64) []uint64 {
	var addrs []uint64
	s := f.Section(".text")
	for a := s.Addr; a < s.Addr+s.Size; a += step {
		addrs = append(addrs, a)
	}
	return addrs
}
