// Package elfcore reads an ELF core file of Linux as a process: one written by the kernel
// (fs/binfmt_elf.c) or by gcore. It reads on demand, so that a core of many gigabytes opens at
// once.
package elfcore

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"stacksnap/task"
	"stacksnap/task/internal/saved"
	"stacksnap/task/regular"
)

// ErrNotCore is returned for a file that is not an ELF core.
var ErrNotCore = errors.New("not an ELF core file")

// FormatError says what is wrong with a core, and where in the file. In [task.Info].Problems,
// each affects only what it names.
type FormatError = saved.FormatError

// Process is a process saved in a core.
type Process struct {
	file    *io.SectionReader
	closer  io.Closer
	header  header
	info    task.Info
	memory  saved.Memory
	regions []task.Region
	threads []thread
	ids     []task.ThreadID
	index   map[task.ThreadID]int
	notes   notes
	bad     saved.Problems
}

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

// New reads a core of size bytes.
func New(r io.ReaderAt, size int64) (*Process, error) {
	file := io.NewSectionReader(r, 0, size)
	h, err := readHeader(file)
	if err != nil {
		return nil, err
	}
	p := &Process{file: file, header: h, memory: saved.Memory{File: file}}
	p.load()
	if len(p.memory.Segments) == 0 && len(p.threads) == 0 {
		problem := &FormatError{Offset: 0, Reason: "a core with neither threads nor memory"}
		return nil, errors.Join(append([]error{problem}, p.bad.Errors()...)...)
	}
	p.info.Problems = p.bad.Errors()
	return p, nil
}

// load reads everything but memory.
func (p *Process) load() {
	var missing uint64
	for ph := range p.header.programs(p.file, &p.bad) {
		switch ph.kind {
		case ptLoad:
			missing += p.addSegment(ph)
		case ptNote:
			p.readNotes(ph)
		}
	}
	if missing > 0 {
		p.bad.Add(p.file.Size(), "the file ends there: %d bytes of memory are missing", missing)
		p.memory.Missing = saved.ErrCut
	}
	p.memory.Arrange(&p.bad)
	p.indexThreads()
	p.makeRegions()
	p.describe()
}

func (p *Process) addSegment(ph program) (missing uint64) {
	s := saved.Segment{
		Start: task.Addr(ph.vaddr), End: task.Addr(ph.vaddr + ph.memSize), Offset: int64(ph.offset),
		Kept: min(ph.fileSize, ph.memSize), Prot: protOf(ph.flags),
	}
	if s.End <= s.Start || s.Offset < 0 {
		if ph.memSize > 0 {
			p.bad.Add(ph.at, "a segment of impossible bounds")
		}
		return 0
	}
	missing = s.Clip(p.file.Size())
	p.memory.Segments = append(p.memory.Segments, s)
	return missing
}

// protOf converts PF_X, PF_W and PF_R, whose bits are in the opposite order.
func protOf(flags uint32) task.Prot {
	var prot task.Prot
	for bit, p := range []task.Prot{task.Execute, task.Write, task.Read} {
		if flags&(1<<bit) != 0 {
			prot |= p
		}
	}
	return prot
}

// indexThreads indexes the threads by id. If several have the same id, it keeps the first.
func (p *Process) indexThreads() {
	p.index = make(map[task.ThreadID]int, len(p.threads))
	for i := range p.threads {
		id := p.threads[i].id
		if _, double := p.index[id]; double {
			p.bad.Add(0, "two threads have the number %d: the second is left out", id)
			continue
		}
		p.index[id] = i
		p.ids = append(p.ids, id)
	}
}

// Info returns the facts about the process.
func (p *Process) Info() task.Info { return p.info }

// Capabilities implements [task.Process].
func (p *Process) Capabilities() task.Capabilities { return task.Capabilities{Waits: p} }

// Memory returns the saved memory.
func (p *Process) Memory() task.Memory { return &p.memory }

// Regions lists the mappings, with their files.
func (p *Process) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		for _, r := range p.regions {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Threads lists the threads in the order of the file. In the kernel's cores, the first one is
// the thread that ended the process.
func (p *Process) Threads() ([]task.ThreadID, error) { return p.ids, nil }

// Describe fills in a thread's name, state and CPU time, as far as the core has them: only the
// first thread has a name, and the state is known only of a thread that waited in a system call.
func (p *Process) Describe(id task.ThreadID, t *task.Thread) error {
	i, ok := p.index[id]
	if !ok {
		return task.ErrThreadGone
	}
	th := &p.threads[i]
	t.User, t.System = th.user, th.system
	if th.callOf().State == task.InCall {
		t.State = task.Sleeping
	}
	if int(id) == p.info.PID {
		t.Name = p.notes.program.name
	}
	return nil
}

// Suspend does nothing: nothing in a core runs.
func (p *Process) Suspend(task.StopOptions) (resume func() error, err error) {
	return func() error { return nil }, nil
}

// Capture copies a thread's registers, and its stack from the red zone below its stack pointer
// up.
func (p *Process) Capture(id task.ThreadID, t *task.Thread) error {
	i, ok := p.index[id]
	if !ok {
		return task.ErrThreadGone
	}
	t.Registers = p.threads[i].regs
	if c := p.threads[i].callOf(); c.State == task.InCall {
		t.Call = c
	}
	p.memory.CaptureStack(t)
	return nil
}

// Close closes the file.
func (p *Process) Close() error {
	if p.closer == nil {
		return nil
	}
	return p.closer.Close()
}
