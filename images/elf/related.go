package elf

import (
	"bytes"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"stacksnap/images/dwarf"
)

// related opens the files that have part of another file's debugging information, and
// keeps them open as long as that one.
type related struct {
	loader *Loader
	of     *File
	// paths are where the file is, and, if it is a debug file, where the file that it
	// was split off is, below the loader's roots.
	paths []string

	mu     sync.Mutex
	opened []*File
	closed bool
}

// relate makes f find its split debug files and its dwz file. paths are the paths of
// f itself.
func (l *Loader) relate(f *File, paths ...string) {
	f.related = &related{loader: l, of: f, paths: paths}
}

func (r *related) dwarf() dwarf.Related {
	if r == nil {
		return dwarf.Related{}
	}
	return dwarf.Related{Split: r.split, Package: r.pack, Supplement: r.supplement}
}

// split implements [dwarf.Related]. It tries the path that the compiler recorded,
// then the file's own directory, because a whole build may have been moved.
func (r *related) split(dir, name string) iter.Seq[dwarf.Sections] {
	paths := []string{name}
	if !path.IsAbs(name) {
		paths = []string{path.Join(dir, name)}
	}
	for _, p := range r.paths {
		if !path.IsAbs(name) {
			paths = append(paths, path.Join(path.Dir(p), name))
		}
		paths = append(paths, path.Join(path.Dir(p), path.Base(name)))
	}
	return func(yield func(dwarf.Sections) bool) {
		for f := range r.files(paths) {
			if !yield(f.openSource) {
				return
			}
		}
	}
}

// pack implements [dwarf.Related]: PROGRAM.dwp, beside each of the paths.
func (r *related) pack() dwarf.Sections {
	var paths []string
	for _, p := range r.paths {
		paths = append(paths, p+".dwp", strings.TrimSuffix(p, ".debug")+".dwp")
	}
	for f := range r.files(paths) {
		if _, ok := f.debugSection("cu_index"); ok {
			return f.openSource
		}
	}
	return nil
}

// files yields the ELF files among the paths, and closes each when the loop
// continues.
func (r *related) files(paths []string) iter.Seq[*File] {
	return func(yield func(*File) bool) {
		for i, name := range paths {
			if !path.IsAbs(name) || slices.Contains(paths[:i], name) {
				continue
			}
			for c := range r.loader.underRoots(name, ignore) {
				f := r.open(c)
				if f == nil {
					continue
				}
				if !yield(f) {
					r.keep(f)
					return
				}
				r.drop(f)
			}
		}
	}
}

// open returns a candidate's file, or closes the candidate and returns nil.
func (r *related) open(c candidate) *File {
	if !r.loader.Budget.Open() {
		_ = c.file.Close() // read-only
		return nil
	}
	f, err := NewFile(c.file, c.size)
	if err != nil {
		_ = c.file.Close()
		r.loader.Budget.Closed()
		return nil
	}
	f.budget, f.name, f.leftOut = r.loader.Budget, r.of.name, r.of.leftOut
	return f
}

func (r *related) drop(f *File) {
	_ = f.Close() // read-only
	r.loader.Budget.Closed()
}

func (r *related) keep(f *File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		r.drop(f)
		return
	}
	r.opened = append(r.opened, f)
}

// close closes the files that were opened.
func (r *related) close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, f := range r.opened {
		r.drop(f)
	}
	r.opened = nil
}

// supplement implements [dwarf.Related]: the file that dwz has made, by its build-id
// or by the link's path.
func (r *related) supplement() dwarf.Sections {
	link, ok := r.of.supplementLink()
	if !ok {
		return nil
	}
	if name := r.loader.debugByID(link.id); name != "" {
		if c, err := openCandidate(name); err == nil {
			if f := r.open(c); f != nil && f.isSupplement(link.id) {
				r.keep(f)
				return f.openSource
			} else if f != nil {
				r.drop(f)
			}
		}
	}
	for f := range r.files(link.paths(r.paths)) {
		if f.isSupplement(link.id) {
			return f.openSource
		}
	}
	return nil
}

func (l *Loader) debugByID(id []byte) string {
	if l.DebugByID == nil {
		return ""
	}
	return l.DebugByID(id)
}

// supplementLink refers to a supplementary file.
type supplementLink struct {
	name string
	id   []byte // build-id or, since DWARF 5, the checksum in .debug_sup
}

// supplementLink reads .gnu_debugaltlink, a name and a build-id, or .debug_sup.
func (f *File) supplementLink() (supplementLink, bool) {
	if s := f.elf.Section(".gnu_debugaltlink"); s != nil && s.FileSize <= maxDebugLink {
		b, err := f.data(s)
		if name, id, ok := bytes.Cut(b, []byte{0}); err == nil && ok && len(id) > 1 {
			return supplementLink{string(name), id}, true
		}
	}
	sup, name, id := f.debugSup()
	return supplementLink{name, id}, !sup && len(id) > 1
}

// debugSup reads .debug_sup (DWARF 5, section 7.3.6).
func (f *File) debugSup() (isSupplement bool, name string, checksum []byte) {
	s, ok := f.debugSection("sup")
	if !ok || s.FileSize > maxDebugLink {
		return false, "", nil
	}
	b, err := f.data(s)
	if err != nil || len(b) < 4 {
		return false, "", nil
	}
	text, rest, ok := bytes.Cut(b[3:], []byte{0})
	if !ok || len(rest) == 0 || int(rest[0]) >= len(rest) {
		return false, "", nil
	}
	return b[2] == 1, string(text), rest[1 : 1+int(rest[0])]
}

func (f *File) isSupplement(id []byte) bool {
	if bytes.Equal(f.ids.gnu, id) {
		return true
	}
	sup, _, checksum := f.debugSup()
	return sup && bytes.Equal(checksum, id)
}

// paths returns where a supplementary file may be, for a file at one of the given
// paths.
func (s *supplementLink) paths(from []string) []string {
	list := []string{fmt.Sprintf("%s/.build-id/%x/%x.debug", debugDir, s.id[:1], s.id[1:])}
	if path.IsAbs(s.name) {
		list = append(list, s.name)
	} else {
		for _, p := range from {
			list = append(list, path.Join(path.Dir(p), s.name))
		}
	}
	const folder = "/.dwz/"
	if at := strings.LastIndex(s.name, folder); at >= 0 {
		list = append(list, debugDir+folder+s.name[at+len(folder):])
	}
	return list
}
