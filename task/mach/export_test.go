package mach

import (
	"maps"
	"slices"
	"time"

	"stacksnap/task"
)

// World is a scripted kernel with the process of a core in it, for tests of the
// packages above: this one with them.
type World struct{ s *scripted }

// NewWorld makes a kernel that runs a saved process: XNU, or an odd one, which
// needs some time to bring threads to rest.
func NewWorld(saved task.Process, odd bool) (*World, error) {
	info := saved.Info()
	s := newScripted(info.Arch, 0)
	if odd {
		s = newOdd(0)
		s.restless = 3 * time.Millisecond
	}
	s.memory, s.execPath, s.ownQueues = nil, info.Path, queueOffsets{}
	s.loader = dyldInfo{addr: info.LoaderInfo, is64: true}
	w := &World{s}
	for r, err := range saved.Regions() {
		if err != nil {
			return nil, err
		}
		w.Map(r, saved.Memory())
	}
	ids, err := saved.Threads()
	if err != nil {
		return nil, err
	}
	var snap task.Snapshot
	if err := task.Take(saved, &snap); err != nil {
		return nil, err
	}
	for i := range ids {
		w.addThread(&snap.Threads[i])
	}
	return w, nil
}

// Map adds a mapping, with what mem has of it.
func (w *World) Map(r task.Region, mem task.Memory) {
	m := scriptedRegion{region: region{start: r.Start, end: r.End, prot: r.Prot, file: r.Path != "", tag: memoryStack, object: w.s.newObject()}}
	m.bytes = make([]byte, r.End-r.Start)
	_, _ = mem.ReadMemory(m.bytes, r.Start)
	w.s.memory = append(w.s.memory, m)
	slices.SortFunc(w.s.memory, func(a, b scriptedRegion) int {
		if a.start < b.start {
			return -1
		}
		return 1
	})
}

func (w *World) addThread(t *task.Thread) {
	w.s.threadList = append(w.s.threadList, &scriptedThread{
		id: t.ID, port: firstThread + port(len(w.s.threadList)), name: t.Name, run: 1,
		words: layOut(&t.Registers),
	})
}

// layOut lays registers out as the kernel does.
func layOut(r *task.Registers) []uint32 {
	l := stateLayout(r.Arch)
	words := make([]uint32, l.words)
	for i, d := range l.dwarf {
		if d == skip {
			continue
		}
		v, _ := r.Value(task.Reg(d))
		words[2*i], words[2*i+1] = uint32(v), uint32(v>>32)
	}
	return words
}

// Call makes a thread stand in another function, at pc, that the one which it is
// in has called, with a frame of its own.
func (w *World) Call(thread int, pc task.Addr) {
	t := w.s.threadList[thread]
	arch := w.s.host
	regs := task.Registers{Arch: arch}
	stateLayout(arch).decode(t.words, ^uint64(0), &regs)
	frame := regs.SP() - task.RedZone - 16
	fp, _ := regs.Value(arch.FP())
	w.write(frame, fp)
	w.write(frame+8, uint64(regs.PC()))
	regs.Set(arch.FP(), uint64(frame))
	regs.Set(arch.SP(), uint64(frame)-64)
	regs.Set(arch.PC(), uint64(pc))
	t.words = layOut(&regs)
}

func (w *World) write(a task.Addr, v uint64) {
	m := w.s.at(a)
	for i := range task.Addr(8) {
		m.bytes[a+i-m.start] = byte(v >> (8 * i))
	}
}

// SetState sets TH_STATE_* of a thread; its registers are told at any time then.
func (w *World) SetState(thread int, run int32) {
	w.s.threadList[thread].run, w.s.mayRun = run, true
}

// SetCPU sets how long a thread has run; an odd kernel does not tell.
func (w *World) SetCPU(thread int, ran time.Duration) { w.s.threadList[thread].ran = ran }

// Before has something done before each call of the kernel.
func (w *World) Before(do func(call string)) {
	w.s.before = func(_ int, call string) { do(call) }
}

// HaltBySignal has the process stopped by a signal, or go on.
func (w *World) HaltBySignal(yes bool) {
	w.s.bsd.status = 2
	if yes {
		w.s.bsd.status = statusStopped
	}
}

// HaltByHold has the process held by another one, or no more.
func (w *World) HaltByHold(yes bool) {
	w.s.foreign = 0
	if yes {
		w.s.foreign = 1
	}
}

// Kill ends the process.
func (w *World) Kill() { w.s.kill() }

// Uptime is the world's time.
func (w *World) Uptime() time.Duration { return w.s.now }

// Open opens the process.
func (w *World) Open() (*Process, error) { return open(w.s, w.s.pid) }

// Left names what of the kernel's things was not given back.
func (w *World) Left() []string {
	left := map[string]bool{}
	for _, n := range w.s.refs {
		left["references"] = left["references"] || n != 0
	}
	left["arrays"] = w.s.arrays != 0
	left["holds"] = w.s.holds != 0
	left["mappings"] = len(w.s.mappings) != 0
	maps.DeleteFunc(left, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(left))
}
