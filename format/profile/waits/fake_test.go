package waits

import (
	"encoding/binary"
	"slices"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
)

// process is a target made of a few pages and of what its system would tell.
type process struct {
	task.Process
	task.PeerFinder
	info     task.Info
	memory   map[task.Addr][]byte
	calls    map[task.ThreadID]task.Syscall
	files    map[int]string
	holders  map[int]int
	watched  map[int][]int
	hidden   int // that are watched and open no more
	handles  map[task.ThreadID]task.Addr
	threads  []task.ThreadID
	left     int // of how many answers a thread is still in its call; 0: always
	wchans   map[task.ThreadID]string
	ended    []int // numbers of threads that it does not have
	saved    bool  // it is not live
	runtimes RuntimeLocks
	away     int // for how many answers a thread is not back in its call
	reads    int // of memory
}

func (p *process) Info() task.Info     { return p.info }
func (p *process) Memory() task.Memory { return p }

// Threads lists those of which a snapshot may not have had all.
func (p *process) Threads() ([]task.ThreadID, error) { return p.threads, nil }

func (p *process) Describe(_ task.ThreadID, t *task.Thread) error {
	t.Name = "described"
	return nil
}

func (p *process) ReadMemory(b []byte, a task.Addr) (int, error) {
	p.reads++
	for start, bytes := range p.memory {
		if a >= start && a < start+task.Addr(len(bytes)) {
			if n := copy(b, bytes[a-start:]); n == len(b) {
				return n, nil
			}
		}
	}
	return 0, &task.FaultError{Addr: a}
}

func (p *process) Syscall(id task.ThreadID) (task.Syscall, error) {
	if p.away > 0 {
		p.away--
		return task.Syscall{State: task.OnProcessor}, nil
	}
	s := p.calls[id]
	if p.left > 0 {
		if p.left--; p.left == 0 {
			p.calls[id] = task.Syscall{State: task.OnProcessor}
		}
	}
	return s, nil
}

func (p *process) Capabilities() task.Capabilities {
	return task.Capabilities{Waits: p, Peers: p, OpenFile: p.OpenFile, ThreadHandle: p.ThreadHandle, Outsider: p.Outsider}
}

// outsider is what is said of each thread that the process does not have.
var outsider = task.Outsider{Parent: 7, ParentName: "parent"}

func (p *process) Outsider(int, task.Addr) task.Outsider { return outsider }

func (p *process) WaitChannel(id task.ThreadID) string { return p.wchans[id] }
func (p *process) OpenFile(fd int) string              { return p.files[fd] }
func (p *process) Watched(fd int) (int, []int)         { w := p.watched[fd]; return len(w) + p.hidden, w }
func (p *process) LockHolder(fd int) (int, bool)       { pid, ok := p.holders[fd]; return pid, ok }
func (p *process) LocalThread(n int) (task.ThreadID, bool) {
	return task.ThreadID(n), !slices.Contains(p.ended, n)
}

func (p *process) ThreadHandle(id task.ThreadID) (task.Addr, bool) {
	a, ok := p.handles[id]
	return a, ok
}

// words puts 32-bit numbers behind each other.
func words(values ...uint32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// symbols is a file whose functions are 0x100 bytes each, from 0 on.
type symbols struct {
	object.File
	names []string
}

func (s *symbols) Symbol(vmaddr uint64) (object.Symbol, bool) {
	i := vmaddr / 0x100
	if i >= uint64(len(s.names)) {
		return object.Symbol{}, false
	}
	return object.Symbol{Name: s.names[i], VMAddr: i * 0x100}, true
}

func (s *symbols) Segments() []object.Segment {
	return []object.Segment{{Size: uint64(0x100 * len(s.names)), Prot: task.Read | task.Execute}}
}

// stack makes a map and frames of which each is in one of the functions.
func stack(functions ...string) (*images.Map, []unwind.Frame) {
	const load = 0x10000
	m := images.NewMap([]object.Placed{{
		Path: "/lib/libc.so.6", Load: load, Slide: load, File: &symbols{names: functions},
	}})
	var frames []unwind.Frame
	for i := range functions {
		frames = append(frames, unwind.Frame{PC: load + task.Addr(0x100*i) + 0x20, Return: i > 0})
	}
	return m, frames
}
