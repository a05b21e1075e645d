// Package machocore reads a Mach-O core file (MH_CORE) as a process: those that the
// kernel writes (xnu bsd/kern/kern_core.c), those of gcore, and those of lldb's
// process save-core, complete or with modified memory or stacks only. It reads on
// demand, so that a core of many gigabytes opens at once.
package machocore

import (
	"errors"
	"fmt"
	"io"
	"path"

	"stacksnap/task"
	"stacksnap/task/internal/saved"
	"stacksnap/task/regular"
)

// Process is a process saved in a core.
type Process struct {
	file    part
	closer  io.Closer
	info    task.Info
	memory  saved.Memory
	threads []thread
	ids     []task.ThreadID
	index   map[task.ThreadID]int
	notes   notes
	bad     saved.Problems
	scratch [cacheHeaderSize]byte
}

// ErrNotCore is returned for a file that is not a Mach-O core.
var ErrNotCore = errors.New("not a Mach-O core file")

// FormatError says what is wrong with a core, and where in the file. In [task.Info].Problems,
// each affects only what it names.
type FormatError = saved.FormatError

// Open opens a core file. The error wraps ErrNotCore for any other file.
func Open(path string) (*Process, error) {
	f, stat, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	p, err := New(f, stat.Size())
	if err != nil {
		_ = f.Close() // read-only
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p.closer = f
	return p, nil
}

// New reads a core of size bytes. Of a file with cores of several architectures it
// reads the first, and adds a problem.
func New(r io.ReaderAt, size int64) (*Process, error) {
	parts, refused, err := open(r, size)
	if err != nil {
		return nil, err
	}
	p := &Process{file: parts[0], memory: saved.Memory{File: parts[0]}}
	if len(parts) > 1 {
		p.bad.Add(0, "it holds cores of %d architectures (%s): only the first is shown", len(parts), archNames(parts))
	}
	if refused != nil {
		p.bad.Add(0, "a part of it is left out: %v", refused)
	}
	p.load()
	if len(p.memory.Segments) == 0 && len(p.threads) == 0 {
		return nil, errors.Join(append([]error{&FormatError{Offset: 0, Reason: "a core with neither threads nor memory"}}, p.bad.Errors()...)...)
	}
	p.info.SavedImages, p.info.Problems = p.notes.images, p.bad.Errors()
	return p, nil
}

// load reads everything except memory.
func (p *Process) load() {
	var missing uint64
	loadCommands(p.file, &p.bad, func(cmd uint32, at int64, body []byte) {
		switch cmd {
		case lcSegment64:
			missing += p.addSegment(body, 8, at)
		case lcSegment:
			missing += p.addSegment(body, 4, at)
		case lcThread, lcUnixThread:
			p.threads = append(p.threads, parseThread(p.file.header.arch, body, at))
		case lcNote:
			p.notes.add(p.file, body, at, &p.bad)
		case lcFileRef, lcCoreData:
			missing += p.addMapped(cmd, body, at)
		case lcCoreInfo:
			if !p.notes.coreInfo(body) {
				p.bad.Add(at, "a core info command that cannot be read")
			}
		case lcIdent:
			p.notes.ident = identity(body)
		}
	})
	if missing > 0 {
		p.bad.Add(p.file.Size(), "the file ends there: %d bytes of memory are missing", missing)
		p.memory.Missing = saved.ErrCut
	}
	p.memory.Arrange(&p.bad)
	p.nameThreads()
	p.describe()
}

func (p *Process) addSegment(body []byte, pointer int, at int64) (missing uint64) {
	s, size, ok := parseSegment(body, pointer)
	if !ok {
		if size > 0 || s.Start != s.End {
			p.bad.Add(at, "a segment of impossible bounds")
		}
		return 0
	}
	missing = s.Clip(p.file.Size())
	p.memory.Segments = append(p.memory.Segments, s)
	return missing
}

// nameThreads gives every thread an id: that in the metadata note, or its index, as
// lldb does.
func (p *Process) nameThreads() {
	p.index = make(map[task.ThreadID]int, len(p.threads))
	if !p.takeMetadata() {
		clear(p.index)
		for i := range p.threads {
			p.threads[i].id = task.ThreadID(i)
			p.index[task.ThreadID(i)] = i
		}
	}
	p.ids = make([]task.ThreadID, len(p.threads))
	for i := range p.threads {
		p.ids[i] = p.threads[i].id
	}
}

// takeMetadata names the threads by the process metadata note. It reports false if
// the note does not have a distinct id for each.
func (p *Process) takeMetadata() bool {
	meta := p.notes.threads
	if len(meta) != len(p.threads) {
		if len(meta) > 0 {
			p.bad.Add(0, "the process metadata tells of %d threads, the core has %d", len(meta), len(p.threads))
		}
		return false
	}
	for i, m := range meta {
		p.threads[i].id, p.threads[i].name, p.threads[i].queue = m.ID, m.Name, m.Queue
		p.index[m.ID] = i
	}
	return len(p.index) == len(p.threads)
}

// describe fills in the facts about the process as a whole.
func (p *Process) describe() {
	h := p.file.header
	note := &p.notes.process
	p.info = task.Info{
		PID:               note.pid,
		Name:              note.name,
		Path:              note.path,
		ParentPID:         note.parent,
		ParentName:        note.parentName,
		Start:             note.start,
		Translated:        note.translated,
		Arch:              h.arch,
		OS:                task.Darwin,
		OSVersion:         p.notes.ident,
		PageSize:          p.pageSize(),
		CodeMask:          p.codeMask(),
		LoaderPointerSize: h.pointer,
	}
	p.info.LoaderInfo = p.findLoaderInfo()
	p.findMain()
}

// findMain marks the program among the images in the notes, by its header in memory.
func (p *Process) findMain() {
	for i := range p.notes.images {
		im := &p.notes.images[i]
		if h, ok := p.memoryHeader(im.Load); ok && h.fileType == fileExecute {
			im.Main = true
			if p.info.Path == "" {
				p.info.Path, p.info.Name = im.Path, path.Base(im.Path)
			}
			return
		}
	}
}

func (p *Process) pageSize() int {
	if p.notes.pageSize != 0 {
		return p.notes.pageSize
	}
	if p.file.header.arch == task.ARM64 {
		return 16 << 10
	}
	return 4 << 10
}

// defaultBits is the number of address bits of a process whose core does not have it:
// machdep.virtual_address_size where that is absent.
const defaultBits = 47

// codeMask returns the bits that pointer authentication does not use. Only arm64
// signs pointers.
func (p *Process) codeMask() uint64 {
	switch {
	case p.file.header.arch != task.ARM64:
		return ^uint64(0)
	case p.notes.addressBits != 0:
		return ^uint64(0) >> (64 - p.notes.addressBits)
	}
	return 1<<defaultBits - 1
}

// Info returns the facts about the process. Only gcore saves its pid, its parent and
// its start time.
func (p *Process) Info() task.Info { return p.info }

// Capabilities implements [task.Process].
func (p *Process) Capabilities() task.Capabilities { return task.Capabilities{Back: p.Back} }

// Memory returns the saved memory. What the core lacks is taken from the
// backing, if there is one.
func (p *Process) Memory() task.Memory { return &p.memory }

// Back sets the memory to read what the core lacks: binaries on disk with matching
// UUIDs, at the addresses where they were mapped. Only unmodified memory can be read
// that way.
func (p *Process) Back(m task.Memory) {
	p.memory.Backing = m
	p.findMain()
}

// Close closes the file.
func (p *Process) Close() error {
	if p.closer == nil {
		return nil
	}
	return p.closer.Close()
}
