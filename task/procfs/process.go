//go:build linux

package procfs

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"stacksnap/task"
)

// Process is a live Linux process, as read from its files in /proc. It stops nothing, and
// implements most of the parts of [task.Process] that need no stop.
//
// It may be used by one goroutine at a time; its memory may be read from another goroutine.
type Process struct {
	PID    int
	Mem    Memory
	Files  ThreadFiles
	Kernel KernelStacks

	facts  task.Info
	dir    Dir    // /proc/PID
	live   Dir    // a thread that has not ended: the first one if possible
	folder string // of live
	maps   int    // its maps file
	stat   int    // the stat file of dir
	sealed error  // why memory and calls may not be read; nil: they may be
	exited *task.ExitedError

	mapsText bytes.Buffer
	stacks   spanTable
	stacksOf []task.ThreadID // the threads when stacks was read
	query    procmapQuery
	table    mapTable
	compared [4096]byte // a piece of a stack, for comparison

	tcpPeers map[string]string // by inode of socket; nil: not read since the threads were listed
}

// Info implements [task.Process], without CodeMask, which only a stopped thread shows.
func (p *Process) Info() task.Info { return p.facts }

// Memory implements [task.Process].
func (p *Process) Memory() task.Memory { return &p.Mem }

// Regions implements [task.Process].
func (p *Process) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		if p.sealed != nil {
			return // the error is reported with each thread
		}
		if err := p.readMaps(); err != nil {
			yield(task.Region{}, err)
			return
		}
		for line := range bytes.Lines(bytes.Clone(p.mapsText.Bytes())) {
			r, err := parseRegion(bytes.TrimSuffix(line, []byte("\n")))
			if err != nil {
				err = fmt.Errorf("%w: %q", err, line)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// readMaps reads /proc/PID/maps into mapsText.
func (p *Process) readMaps() error {
	p.mapsText.Reset()
	_ = rewind(p.maps)
	_, err := io.Copy(&p.mapsText, io.LimitReader(fdReader(p.maps), maxProcFile))
	if err != nil {
		return fmt.Errorf("read /proc/%d/maps: %w", p.PID, err)
	}
	p.Mem.pages.silent = p.silentSpans(p.mapsText.Bytes())
	return nil
}

// Sealed returns why the stacks of a process that was opened by [Look] may not be read; nil if
// they may be.
func (p *Process) Sealed() error { return p.sealed }

// Exited returns the error for a process that has ended or called exec. It is allocated in
// advance.
func (p *Process) Exited() *task.ExitedError { return p.exited }

// Arch returns the architecture of the program, or the kernel's where it is not known.
func (p *Process) Arch() task.Arch {
	if p.facts.Arch != task.UnknownArch {
		return p.facts.Arch
	}
	return HostArch()
}

// Listed updates what is kept of the process after its threads were listed.
func (p *Process) Listed(ids []task.ThreadID) {
	p.Files.ahead = 0
	p.Files.sweep(ids)
	p.tcpPeers = nil
	p.refreshSpans(ids)
}

// Refill allocates what reading in a stop may use up: errors, room for the mappings and, with
// helpers, the goroutines that read pages which are not resident.
func (p *Process) Refill(helpers bool) {
	p.Mem.faults.refill()
	if helpers {
		p.Mem.pages.refill()
	}
	if p.table.isUsed {
		p.table.makeRoom()
	}
}

// IsClosed reports whether Close was called.
func (p *Process) IsClosed() bool { return p.dir.fd < 0 }

// Close closes the files. The process runs on.
func (p *Process) Close() {
	p.Files.Close()
	p.Mem.pages.close()
	for _, fd := range []*int{&p.maps, &p.stat, &p.Mem.file, &p.Files.Dir.fd, &p.live.fd, &p.dir.fd} {
		closeFD(*fd)
		*fd = -1
	}
}
