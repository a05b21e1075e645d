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

// TestFramesAreThoseThatPythonTells compares the frames of all threads of a process with
// its own sys._current_frames.
func TestFramesAreThoseThatPythonTells(t *testing.T) {
	eachPython(t, func(t *testing.T, py python) {
		for _, args := range [][]string{
			{"testdata/target.py", "OUT", "1"},
			{"-m", "target", "OUT", "1", "plain"},
			{"-m", "target", "OUT", "8", "plain", "key"},
			{"testdata/target.py", "OUT", "1", "plain", "subinterpreter"},
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
	native := g.walk(t)
	chains, err := p.Chains(g.memory, threads)
	if err != nil {
		t.Fatal(err)
	}
	if len(chains) != len(g.told)+1 { // and the one that wrote them
		t.Errorf("%d chains, of %d threads", len(chains), len(g.told)+1)
	}
	for id, told := range g.told {
		chain, ok := chains[id]
		if !ok {
			t.Errorf("thread %d has no chain", id)
			continue
		}
		copied := copyChain(g.memory, chain)
		frames, err := p.Frames(nil, id, copied, g.memory)
		if err != nil {
			t.Errorf("thread %d, in %v: %v", id, told[0], err)
		}
		sameFrames(t, frames, told)
		checkEntries(t, g, p, entries(frames), shims(frames), native[id])
	}
}

// checkEntries compares the entries with the native frames of the loop, where these have
// names, and with those that have the shims.
func checkEntries(t *testing.T, g *target, p *cpython.Instance, n int, shims []task.Addr, native []unwind.Frame) {
	t.Helper()
	if loops := g.loops(p, native); n != loops && g.named {
		t.Errorf("%d entries, and %d native frames of the loop", n, loops)
	}
	if shims == nil {
		return
	}
	if len(shims) != n {
		t.Errorf("%d entries, and %d shims", n, len(shims))
	}
	if outermost := native[len(native)-1].SP; outermost < shims[len(shims)-1] {
		return // the walk ended too early: a closure of libffi in some builds
	}
	if held := holders(shims, native); held != n {
		t.Errorf("%d entries, and shims at %v in %d native frames", n, shims, held)
	}
}

// sameFrames compares frames with Python's own, which have no entries.
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
func hasNative(p *cpython.Instance) bool { return minorOf(p) >= 11 }

func minorOf(p *cpython.Instance) (minor int) {
	_, _ = fmt.Sscanf(p.Version(), "3.%d", &minor)
	return minor
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

// walk walks the native stack of each thread, and returns those that have their end.
func (g *target) walk(t *testing.T) map[task.ThreadID][]unwind.Frame {
	t.Helper()
	stops.Lock()
	defer stops.Unlock()
	s := task.Snapshot{Limit: 4 << 20}
	if err := task.Take(g.process, &s); err != nil {
		t.Fatal(err)
	}
	u := unwind.New(unwind.Options{})
	native := map[task.ThreadID][]unwind.Frame{}
	for i := range s.Threads {
		th := &s.Threads[i]
		frames, stop := u.Walk(nil, th, g.images, g.memory)
		if th.Err != nil || g.named && stop.Err != nil {
			t.Errorf("thread %d is not captured: %v, %v", th.ID, th.Err, stop.Err)
		}
		native[th.ID] = frames
	}
	return native
}

// loops returns how many native frames are the interpreter's loop.
func (g *target) loops(p *cpython.Instance, native []unwind.Frame) (n int) {
	for _, f := range native {
		if p.IsLoop(g.images.Locate(f.PC, f.Return).Function) {
			n++
		}
	}
	return n
}

// shims returns where the shims of entries are.
func shims(frames []task.ManagedFrame) (list []task.Addr) {
	for i := range frames {
		if frames[i].Shim != 0 {
			list = append(list, frames[i].Shim)
		}
	}
	return list
}

// holders returns how many native frames have a shim in them.
func holders(shims []task.Addr, native []unwind.Frame) int {
	holds := map[int]bool{}
	for _, a := range shims {
		i := 0
		for i < len(native) && native[i].SP <= a {
			i++
		}
		holds[i] = true
	}
	return len(holds)
}
