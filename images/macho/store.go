package macho

import (
	"io"
	"io/fs"
	"os"
	"slices"

	"stacksnap/task/regular"
)

// maxOpen is how many files are kept open of those that hold the object files of one
// linked file.
const maxOpen = 8

// stores are the files that hold object files. They are used by one goroutine at a time.
type stores struct {
	cost   *cost
	byPath map[string]*store
	open   []*store // the one that was used last, last
}

// store is a file that holds an object file, or an archive of them. It is closed when
// others are read, and opened again.
type store struct {
	in       *stores
	path     string
	info     fs.FileInfo
	err      error    // why it cannot be opened
	file     *os.File // nil: closed
	parts    []part
	partsErr error
}

// part is the file, or what it has for one architecture.
type part struct {
	*io.SectionReader
	archive archive // nil: it is no archive
}

// storeBytes is what a store takes, for the budget.
const storeBytes = 512

// at returns the file at a path.
func (s *stores) at(path string) (*store, error) {
	if one := s.byPath[path]; one != nil {
		return one, one.err
	}
	one := &store{in: s, path: path}
	one.file, one.info, one.err = regular.Open(path)
	if one.err == nil {
		s.opened(one)
		one.readParts()
	}
	if s.byPath == nil {
		s.byPath = map[string]*store{}
	}
	if s.cost.keep(storeBytes) {
		s.byPath[path] = one
	}
	return one, one.err
}

// opened closes the file that was not used for the longest time, if they are too many.
func (s *stores) opened(one *store) {
	if len(s.open) == maxOpen {
		_ = s.open[0].file.Close() // it was only read
		s.open[0].file = nil
		s.open = s.open[1:]
	}
	s.open = append(s.open, one)
}

func (s *stores) close() {
	for _, one := range s.open {
		_ = one.file.Close()
		one.file = nil
	}
	s.open = nil
}

// ReadAt implements [io.ReaderAt]. It reads no other file than that which was opened
// first.
func (s *store) ReadAt(p []byte, off int64) (int, error) {
	if i := slices.Index(s.in.open, s); i >= 0 {
		s.in.open = append(slices.Delete(s.in.open, i, i+1), s)
	} else if err := s.reopen(); err != nil {
		return 0, err
	}
	return s.file.ReadAt(p, off)
}

func (s *store) reopen() error {
	f, info, err := regular.Open(s.path)
	if err != nil {
		return err
	}
	if !os.SameFile(info, s.info) || info.Size() != s.info.Size() || !info.ModTime().Equal(s.info.ModTime()) {
		_ = f.Close()
		return errOtherObject
	}
	s.file = f
	s.in.opened(s)
	return nil
}

// readParts looks at what is in the file.
func (s *store) readParts() {
	list, err := thinFiles(s, s.info.Size())
	s.partsErr = err
	for _, r := range list {
		p := part{SectionReader: r}
		if isArchive(r) {
			if p.archive, err = readArchive(r, r.Size(), s.in.cost); err != nil {
				s.partsErr = err
				continue
			}
		}
		s.parts = append(s.parts, p)
	}
}

// files returns the Mach-O files in the store.
func (s *store) files() (list []*io.SectionReader) {
	for _, p := range s.parts {
		if p.archive == nil {
			list = append(list, p.SectionReader)
		}
	}
	return list
}

// held is a member of an archive.
type held struct {
	member
	data *io.SectionReader
}

// members returns the members of that name of the archives in the store.
func (s *store) members(name string) (list []held, err error) {
	for _, p := range s.parts {
		for _, m := range p.archive[name] {
			list = append(list, held{m, io.NewSectionReader(p, m.offset, m.size)})
		}
	}
	if list == nil {
		return nil, s.partsErr
	}
	return list, nil
}
