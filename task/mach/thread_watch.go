package mach

import (
	"fmt"
	"time"

	"stacksnap/task"
)

// watch observes one of the listed threads. Like the process, it is used from one goroutine, and
// not after the process was closed.
type watch struct {
	process *Process
	id      task.ThreadID
	still   still
}

// WatchThread implements [task.ActivityReader].
func (p *Process) WatchThread(id task.ThreadID) (task.ThreadWatch, error) {
	if _, found := p.find(id); !found {
		return nil, task.ErrThreadGone
	}
	return &watch{process: p, id: id}, nil
}

// Observe implements [task.ThreadWatch]. It reads the registers only of a waiting thread,
// because the kernel would have to stop any other thread for them (osfmk/kern/thread_act.c,
// thread_get_state_internal).
func (w *watch) Observe() (task.ThreadActivity, error) {
	var g task.ThreadActivity
	name, basic, err := w.basic()
	if err != nil {
		return g, err
	}
	g.State = state(basic.runState)
	if basic.suspendCount > 0 || g.State != task.Running && w.process.isHalted() {
		g.State = task.Stopped
		return g, nil
	}
	layout := stateLayout(w.process.info.Arch)
	if g.State == task.Running || layout == nil || w.process.info.Translated {
		return g, nil
	}
	g.Registers.Arch = w.process.info.Arch
	words := w.process.words[:layout.words]
	n, r := w.process.k.state(name, layout.flavor, words)
	if r == success {
		layout.decode(words[:n], w.process.info.CodeMask, &g.Registers)
	}
	switch {
	case r == aborted: // the wait for the thread was interrupted (osfmk/kern/thread_act.c)
		g.Later = true
	case g.Registers.SP() == 0: // some kernels have only the state of a stopped thread
		var known bool
		g.Registers, known = w.readStill(basic.user + basic.system)
		g.Later = !known
	}
	return g, nil
}

// Counters implements [task.ThreadWatch]. Darwin does not report how often a thread has slept.
func (w *watch) Counters() (task.Counters, error) {
	_, basic, err := w.basic()
	return task.Counters{CPU: basic.user + basic.system}, err
}

func (w *watch) basic() (port, basicInfo, error) {
	p := w.process
	name, found := p.find(w.id)
	if !found {
		return portNull, basicInfo{}, task.ErrThreadGone
	}
	basic, r := p.k.basic(name)
	switch {
	case r == success:
		return name, basic, nil
	case p.threadGone(name, r):
		return name, basic, task.ErrThreadGone
	}
	return name, basic, fmt.Errorf("watch thread %d: thread_info: %w", w.id, r)
}

// Close implements [task.ThreadWatch].
func (w *watch) Close() error { return nil }

// The cost of a watch that has to stop the target, and how long it waits until the thread is
// back in its wait after a stop.
const (
	stillShare  = 10 // the pause after a stop, as a multiple of its duration
	sameShare   = 2  // the same while the thread is in one wait
	settleStep  = 500 * time.Microsecond
	settleSteps = 40
	settleSame  = 2 // successive reads that must find that it has not run
)

// still is where a waiting thread was found in a short stop, which a watch makes if the kernel
// returns no registers without one.
type still struct {
	registers task.Registers
	cpu       time.Duration // CPU time used when the thread was back from the stop
	back      bool          // it was seen back: until it runs it is where registers say
	took      time.Duration // duration of the last stop
	ended     time.Duration // uptime at its end
	waits     time.Duration // CPU time used when it was last seen waiting
}

// readStill returns the registers of a waiting thread that has used cpu so far. If the thread
// has not run since it was back from the last stop, it is still where that stop found it.
// Otherwise a new stop is needed; false means that none is due yet. A stop is due sooner if the
// thread has not run since the last observation: it may be stuck, and one stop is enough for the
// whole wait. The registers are empty if a stop does not return them either.
func (w *watch) readStill(cpu time.Duration) (task.Registers, bool) {
	s, k := &w.still, w.process.k
	if s.back && cpu > 0 && cpu == s.cpu {
		return s.registers, true
	}
	share := time.Duration(stillShare)
	if cpu > 0 && cpu == s.waits {
		share = sameShare
	}
	s.waits = cpu
	began := k.uptime()
	if began < s.ended+share*s.took {
		return task.Registers{}, false
	}
	s.registers = w.stopAndRead()
	s.ended = k.uptime()
	s.took = s.ended - began
	if s.back = s.registers.SP() != 0; s.back {
		s.cpu, s.back = w.settle()
		s.waits = s.cpu
	}
	return s.registers, true
}

func (w *watch) stopAndRead() task.Registers {
	p := w.process
	resume, err := p.Suspend(task.StopOptions{})
	if err != nil {
		return task.Registers{}
	}
	regs := task.Registers{Arch: p.info.Arch}
	if h := p.lookup(w.id); h == nil || p.readRegisters(h, &regs) != nil {
		regs = task.Registers{}
	}
	if resume() != nil {
		return task.Registers{} // the next observation will show what has happened
	}
	return regs
}

// settle waits until a stopped thread is back in its wait, and returns the CPU time that it has
// used by then: on such kernels a stop makes it run a little. back is false if the thread goes
// on running.
func (w *watch) settle() (cpu time.Duration, back bool) {
	same := 0
	for range settleSteps {
		w.process.k.pause(settleStep)
		_, basic, err := w.basic()
		if err != nil {
			return 0, false
		}
		used := basic.user + basic.system
		if state(basic.runState) == task.Running || used != cpu {
			cpu, same = used, 0
			continue
		}
		if same++; same == settleSame {
			return cpu, true
		}
	}
	return 0, false
}
