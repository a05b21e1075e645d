package cpython_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind"
	"stacksnap/unwind/runtimes/cpython"
)

// TestFramesAreThoseThatPythonTells compares all threads of a process with what it said
// of itself by sys._current_frames.
func TestFramesAreThoseThatPythonTells(t *testing.T) {
	eachPython(t, func(t *testing.T, py python) {
		for _, args := range [][]string{
			{"testdata/target.py", "OUT", "1"},
			{"-m", "target", "OUT", "1", "plain"},
			{"-m", "target", "OUT", "8", "plain", "key"},
			{"testdata/target.py", "OUT", "64", "methods", "reads", "sleeps"},
		} {
			g := start(t, py, args...)
			p := g.instance(t)
			g.compare(t, p, g.thread)
			if hasNative(p) {
				g.compare(t, p, nil)
			}
			if v := p.Version(); py.version != "" && v != py.version && !strings.HasPrefix(py.version, v+".") {
				t.Errorf("version %s", v)
			}
		}
	})
}

// compare compares the frames of each thread.
func (g *target) compare(t *testing.T, p *cpython.Instance, threads func(task.Addr) (task.ThreadID, bool)) {
	t.Helper()
	loops := g.loops(t, p)
	chains, err := p.Chains(g.memory, threads)
	if err != nil {
		t.Fatal(err)
	}
	if len(chains) != len(g.told)+1 { // the one that told
		t.Errorf("%d chains, of %d threads", len(chains), len(g.told)+1)
	}
	for id, told := range g.told {
		chain, ok := chains[id]
		if !ok {
			t.Errorf("thread %d has no chain", id)
			continue
		}
		frames, err := p.Frames(nil, id, copyChain(g.memory, chain), g.memory)
		if err != nil {
			t.Errorf("thread %d, in %v: %v", id, told[0], err)
		}
		sameFrames(t, frames, told)
		if n := entries(frames); n != loops[id] {
			t.Errorf("thread %d: %d entries, and %d native frames of the loop, for %v", id, n, loops[id], told)
		}
	}
}

// sameFrames compares frames with those that Python tells, which has no entries.
func sameFrames(t *testing.T, frames, told []task.ManagedFrame) {
	t.Helper()
	var named []task.ManagedFrame
	for _, f := range frames {
		if f.Entry, f.Shim = false, 0; f.Function != "" {
			named = append(named, f)
		}
	}
	for i := range max(len(named), len(told)) {
		switch {
		case i >= len(named):
			t.Errorf("frame %d is missing: %v\nof %v", i, told[i], told)
		case i >= len(told):
			t.Errorf("frame %d is too much: %v\nbeside %v", i, named[i], told)
		case named[i] != told[i]:
			t.Errorf("frame %d is %v, not %v\nof %v", i, named[i], told[i], told)
		default:
			continue
		}
		return
	}
}

// hasNative reports whether thread states have the system's ids.
func hasNative(p *cpython.Instance) bool {
	var minor int
	_, _ = fmt.Sscanf(p.Version(), "3.%d", &minor)
	return minor >= 11
}

func entries(frames []task.ManagedFrame) (n int) {
	for _, f := range frames {
		if f.Entry {
			n++
		}
	}
	return n
}

// stops is held while a process is stopped: this process can be the tracer of one.
var stops sync.Mutex

// loops returns how many native frames of the interpreter's loop each thread has.
func (g *target) loops(t *testing.T, p *cpython.Instance) map[task.ThreadID]int {
	t.Helper()
	stops.Lock()
	defer stops.Unlock()
	s := task.Snapshot{Limit: 4 << 20}
	if err := task.Take(g.process, &s); err != nil {
		t.Fatal(err)
	}
	u := unwind.New(unwind.Options{})
	loops := map[task.ThreadID]int{}
	for i := range s.Threads {
		th := &s.Threads[i]
		frames, stop := u.Walk(nil, th, g.images, g.memory)
		if th.Err != nil || stop.Err != nil {
			t.Errorf("thread %d is not captured: %v, %v", th.ID, th.Err, stop.Err)
		}
		for _, f := range frames {
			if p.IsLoop(g.images.Locate(f.PC, f.Return).Function) {
				loops[th.ID]++
			}
		}
	}
	return loops
}
