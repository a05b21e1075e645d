package macho

import (
	"io"
	"io/fs"
	"os"
	"slices"

	"stacksnap/task/regular"
)

// maxOpen is how many files with object files of one linked file are kept open.
const maxOpen = 8

// stores are the files that contain object files. They are for one goroutine at a
// time.
type stores struct {
	cost   *cost
	byPath map[string]*store
	open   []*store // the last used is last
}

// store is a file that is or contains object files. It may be closed and reopened
// while others are read.
type store struct {
	in       *stores
	path     string
	info     fs.FileInfo
	err      error    // why it cannot be opened
	file     *os.File // nil: closed
	parts    []part
	partsErr error
}

// part is the file, or its slice for one architecture.
type part struct {
	*io.SectionReader
	archive archive // nil: not an archive
}

// storeBytes is the cost of a store, for the budget.
const storeBytes = 512

// at returns the store at a path.
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

// opened adds an open file, and closes the least recently used one if there are too
// many.
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

// ReadAt implements [io.ReaderAt]. It fails if the file was replaced since it was
// first opened.
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

// readParts finds the parts of the file.
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

// held is a member of an archive and its contents.
type held struct {
	member
	data *io.SectionReader
}

// members returns the members with a name in the store's archives.
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
