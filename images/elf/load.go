package elf

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"path"
	"strconv"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/files"
)

const (
	maxImages   = 4096    // files of one process opened
	maxVDSO     = 1 << 20 // bytes; two to eight pages are usual
	defaultPage = 4 << 10 // if the target's page size is unknown
)

// The notes on images that were not read from the file at their path.
const (
	NoteDeleted    = "deleted"
	NoteReplaced   = "replaced since it was loaded"
	NotePart       = "mapped in part"
	noteUnreadable = "file not readable"
	noteSilent     = "its file system does not answer"
	noteMemory     = ", read from memory"
)

// Loader knows where the files of a target are.
type Loader struct {
	// Roots are directories under which each path of the target is tried. A file
	// there is used only if it is certainly the one that was loaded.
	Roots []string
	// Mapped returns a path to the file that a region maps, even if its name has
	// another file now; nil: there is no such path.
	Mapped func(task.Region) string
	// ByID returns the path of a file with a build-id, "" if there is none. May be
	// nil.
	ByID func(id []byte) string
	// DebugByID returns the path of a file with the debugging information for a
	// build-id; it need not have code. May be nil.
	DebugByID func(id []byte) string
	// Budget limits the cost of all files together. May be nil.
	Budget *object.Budget
	// Program is a path to the program's file; may be "".
	Program string
	// PID is the running process that Mapped and Program refer to.
	PID int
	// Opened has files that other loaders have open. May be nil.
	Opened *Opened
	also   *laterRoots // roots of later users of the same files; may be nil
}

// LiveLoader returns a Loader for a running process. It tries the process's own root
// and ours, because the kernel shows a chroot's paths as seen from outside and a
// container's as seen from inside; then the mapping (needs CAP_SYS_ADMIN or
// CAP_CHECKPOINT_RESTORE), and for the program exe.
func LiveLoader(pid int) Loader {
	proc := "/proc/" + strconv.Itoa(pid)
	return Loader{
		Roots: []string{proc + "/root", "/"},
		Mapped: func(r task.Region) string {
			return fmt.Sprintf("%s/map_files/%x-%x", proc, uint64(r.Start), uint64(r.End))
		},
		Program: proc + "/exe",
		PID:     pid,
	}
}

// Load returns an image for each place where the target has mapped the code of an ELF
// file, lowest first. Other files are skipped. An image that cannot be read has its
// Err set, which is also among the errors.
func (l Loader) Load(p task.Process) ([]object.Placed, []error) {
	var placed []object.Placed
	var errs []error
	groups, err := groupRegions(p.Regions())
	if err != nil {
		errs = append(errs, err)
	}
	run := loading{Loader: &l, info: p.Info(), memory: p.Memory()}
	if l.Opened != nil {
		run.root, l.also = l.rootKey(), new(laterRoots)
	}
	heads := run.heads(groups)
	for i, g := range groups {
		if len(placed) >= maxImages {
			errs = append(errs, fmt.Errorf("more than %d images: the rest is left out", maxImages))
			break
		}
		for _, im := range run.load(g, heads[i]) {
			placed = append(placed, im)
			if im.Err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", im.Path, im.Err))
			}
		}
	}
	return placed, append(errs, run.silent.errors()...)
}

// loading is one run of a Loader.
type loading struct {
	*Loader
	silent silences
	info   task.Info
	memory task.Memory
	root   string // identifies the roots in the keys of shared files
}

func (l *loading) pageSize() uint64 {
	if n := l.info.PageSize; n > 0 && n&(n-1) == 0 {
		return uint64(n)
	}
	return defaultPage
}

func (l *loading) isProgram(path string) bool { return path == l.info.Path }

// head is where the code of a file is mapped, nil if it has none, and the ELF header
// in memory, nil if it is not mapped.
type head struct {
	code   group
	header *header
	err    error
}

// heads reads the headers of all files before the first file is opened, because a
// library may be unloaded meanwhile.
func (l *loading) heads(groups []group) []head {
	heads := make([]head, len(groups))
	found := 0
	for i, g := range groups {
		if found == maxImages { // the rest is not loaded either
			break
		}
		h := &heads[i]
		h.code = g.code()
		if len(h.code) == 0 && l.isProgram(g.path()) {
			h.code = g[:1] // its code may have been moved to huge pages, which have no file
		}
		if len(h.code) > 0 && g.path() != vdso {
			h.header, h.err = g.header(l.memory)
		}
		if h.header != nil {
			found++
		}
	}
	return heads
}

// load returns the images of one file: none if it is not ELF or has no code.
func (l *loading) load(g group, head head) []object.Placed {
	if g.path() == vdso {
		return []object.Placed{l.loadVDSO(g[0])}
	}
	code, h, err := head.code, head.header, head.err
	if len(code) == 0 || errors.Is(err, ErrNotELF) {
		return nil
	}
	if h == nil {
		return l.loadHeadless(g, code, err)
	}
	places := code.places(h.progs, l.pageSize())
	if len(places) == 0 {
		return nil
	}
	f, note := l.find(code[0], h)
	if f == nil {
		note += noteMemory
		f = newMemoryFile(memoryVM{l.memory, g.wholePlace(places, h.progs)}, h, l.Budget)
	}
	return l.placeAll(g, places, f, note)
}

// loadHeadless returns the images of a file whose header is not mapped, or is
// unreadable because of err. It needs the file on disk: without it, there is no
// image, or one with Err set.
func (l *loading) loadHeadless(g, code group, err error) []object.Placed {
	f, note := l.find(code[0], nil)
	if f == nil && err == nil {
		return nil // nothing says that it is an ELF file
	}
	if f == nil {
		start := code[0].Start - task.Addr(code[0].Offset)
		return []object.Placed{{Path: g.path(), Load: start, Main: l.isProgram(g.path()), Note: note, Err: err}}
	}
	places := code.places(progHeaders(f.elf), l.pageSize())
	if len(places) == 0 {
		_ = f.Close() // read-only
	}
	return l.placeAll(g, places, f, note)
}

// placeAll returns an image of f for each slide. They share the file, which the first
// one closes. If the start of the file is not mapped, the image is limited to what is
// mapped, and is never the program. V8, for example, maps its built-in functions a
// second time near the code that it compiles.
func (l *loading) placeAll(g group, slides []uint64, f *File, note string) []object.Placed {
	progs := progHeaders(f.elf)
	images := make([]object.Placed, 0, len(slides))
	for i, slide := range slides {
		im := object.Placed{
			Path: g.path(), Slide: slide, Load: task.Addr(firstByte(progs) + slide),
			Main: l.isProgram(g.path()), File: f, Note: note,
		}
		whole := g.holdsStart(progs, slide)
		if !whole {
			im.Main, im.Note = false, cmp.Or(note, NotePart)
		}
		if i > 0 || !whole {
			im.File = l.view(g, slide, f, whole, i > 0)
		}
		images = append(images, im)
	}
	return images
}

// view returns f as seen at one of several places.
func (l *loading) view(g group, slide uint64, f *File, whole, shared bool) *view {
	v := &view{File: f, segments: f.Segments(), shared: shared}
	if !whole {
		v.segments = g.clip(v.segments, f, slide, l.pageSize())
	}
	return v
}

// find opens the file that r maps, and returns a note for the report. If the file is
// gone or unreadable, only the note is returned.
func (l *loading) find(r task.Region, h *header) (*File, string) {
	other := false
	var silent *files.SilentError
	for c := range l.candidates(r, h, func(err error) { errors.As(err, &silent) }) {
		if f := l.open(c.candidate, r, h); f != nil {
			return f, c.note(r, other)
		}
		other = other || c.atPath
	}
	if silent != nil {
		l.silent.add(silent, r.Path)
		return nil, noteSilent
	}
	if note := (source{}).note(r, other); note != "" {
		return nil, note
	}
	return nil, noteUnreadable
}

// open returns the file of a candidate, or the open one that it shares, if that is
// the file that r maps. Otherwise it closes the candidate and returns nil.
func (l *loading) open(c candidate, r task.Region, h *header) *File {
	key := openedKey{c.identity, r.Path, l.root}
	if f := l.Opened.use(key); f != nil {
		loaded := isLoaded(l.memory, r, h, f, c)
		_ = c.file.Close() // read-only
		if loaded {
			f.related.loader.lookUnder(l.Roots)
			return f
		}
		_ = f.Close()
		return nil
	}
	f, err := NewFile(c.file, c.size)
	if err != nil || !isLoaded(l.memory, r, h, f, c) {
		_ = c.file.Close()
		return nil
	}
	l.Prepare(f, r.Path)
	l.Opened.add(key, f)
	return f
}

// Prepare sets f's budget, and where to look for its debug file and other files that
// belong to it. file is the path of f in the target.
func (l *Loader) Prepare(f *File, file string) {
	f.budget, f.name = l.Budget, path.Base(file)
	l.relate(f, file)
	f.findDebug = func(f *File) *File { return l.findDebug(f, file) }
}

// source is a candidate and how it was found.
type source struct {
	candidate
	byPath bool // by the path, under any root
	atPath bool // by the path as the target sees it
}

// note returns the note for the report about the file that was at r's path when it
// was loaded.
func (s source) note(r task.Region, other bool) string {
	switch {
	case s.byPath:
		return ""
	case other:
		return NoteReplaced
	case r.PathDeleted:
		return NoteDeleted
	}
	return ""
}

// candidates opens the files that r may map, the likeliest first, and calls refused
// for those that cannot be opened. h is the header in memory, or nil. The caller
// closes the files.
func (l *loading) candidates(r task.Region, h *header, refused func(error)) iter.Seq[source] {
	return func(yield func(source) bool) {
		for c := range l.underRoots(r.Path, refused) {
			own := c.root == 0 || r.PathDeleted
			if !yield(source{c, true, own}) {
				return
			}
		}
		if l.Mapped != nil {
			c, err := l.through(l.Mapped(r), r)
			c.exact = true
			if err != nil {
				refused(err)
			} else if !yield(source{candidate: c}) {
				return
			}
		}
		if l.ByID != nil && h != nil && h.ids.gnu != nil {
			if c, err := openCandidate(l.ByID(h.ids.gnu)); err == nil && !yield(source{candidate: c}) {
				return
			}
		}
		if l.Program != "" && l.isProgram(r.Path) {
			if c, err := l.through(l.Program, r); err == nil {
				yield(source{candidate: c})
			}
		}
	}
}

// loadVDSO reads the kernel's shared object, which is whole in memory.
func (l *loading) loadVDSO(r task.Region) object.Placed {
	im := object.Placed{Path: vdso, Load: r.Start}
	b := make([]byte, min(uint64(r.End-r.Start), maxVDSO))
	n, err := l.memory.ReadMemory(b, r.Start)
	if n < len(b) {
		im.Err = fmt.Errorf("read the vdso: %w", err)
		return im
	}
	f, err := NewFile(bytes.NewReader(b), int64(n))
	if err != nil {
		im.Err = fmt.Errorf("read the vdso: %w", err)
		return im
	}
	im.File, im.Slide = f, uint64(r.Start)-firstByte(progHeaders(f.elf))
	return im
}
