package mach

import (
	"fmt"

	"stacksnap/task"
)

// watch looks at one of the listed threads. Like the process it is used from one
// goroutine, and ends with it.
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

// Glance implements [task.ThreadWatch]. The registers are asked for only of a
// thread that waits: the kernel would have to stop another one for them
// (osfmk/kern/thread_act.c, thread_get_state_internal).
func (w *watch) Glance() (task.Glance, error) {
	var g task.Glance
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
	case g.Registers.SP() == 0: // some kernels have the state of a stopped thread only
		var known bool
		g.Registers, known = w.readStill(basic.user + basic.system)
		g.Later = !known
	}
	return g, nil
}

// Counters implements [task.ThreadWatch]. Darwin does not tell of each thread
// how often it slept.
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
