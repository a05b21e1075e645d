//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
)

// chain is a target whose threads are fifty calls deep.
type chain struct {
	name    string
	program func(testing.TB) string
	calls   []string // outermost first
}

var cFlags = []string{"-O1", "-g"}

func chains() []chain {
	return []chain{
		{name: "C", calls: cCalls(), program: func(t testing.TB) string { return compile(t, "threads.c", cFlags...) }},
		{name: "C without frame pointers", calls: cCalls(), program: func(t testing.TB) string {
			return compile(t, "threads.c", "-O2", "-fomit-frame-pointer", "-momit-leaf-frame-pointer")
		}},
		{name: "C++", calls: cxxCalls(), program: func(t testing.TB) string { return compile(t, "cxx.cc", "-O1", "-std=c++17") }},
		{name: "C++ without frame pointers", calls: cxxCalls(), program: func(t testing.TB) string {
			return compile(t, "cxx.cc", "-O1", "-std=c++17", "-fomit-frame-pointer", "-momit-leaf-frame-pointer")
		}},
		{name: "Go", calls: goCalls(), program: func(t testing.TB) string { return compileGo(t, "gocalls", false) }},
		{name: "Go with cgo", calls: append(goCalls(), "main.wait", "main._Cfunc_outer.abi0", "runtime.cgocall"),
			program: func(t testing.TB) string { return compileGo(t, "gocalls", true) }},
	}
}

func cCalls() []string {
	var calls []string
	for i := range 50 {
		calls = append(calls, fmt.Sprintf("call%02d", i))
	}
	return append(calls, "end")
}

func cxxCalls() []string {
	var calls []string
	for i := range 51 {
		calls = append(calls, fmt.Sprintf("Call<%d>::go(int)", i))
	}
	return calls
}

func goCalls() []string {
	var calls []string
	for i := range 50 {
		calls = append(calls, "main.call"+strconv.Itoa(i%10))
	}
	return append(calls, "main.end")
}

// TestOneShots: every frame of every thread is named, in order, to the bottom.
func TestOneShots(t *testing.T) {
	for _, c := range chains() {
		t.Run(c.name, func(t *testing.T) {
			program := c.program(t)
			live(t, 4*time.Minute, func(r *room) {
				for _, count := range []int{1, 8, 64} {
					p := r.target(program, strconv.Itoa(count))
					r.checkChains(r.lookWhenDeep(p, c.calls, count), c.calls, count)
					p.kill()
				}
			})
		})
	}
}

// lookWhenDeep takes a snapshot in which count threads are in the calls, if there
// is one: a goroutine may just wait to get back to a processor.
func (r *room) lookWhenDeep(p *program, calls []string, count int) (rep *report) {
	r.Helper()
	for range 10 {
		if rep = r.look(p); rep.deep(calls) == count {
			break
		}
	}
	return rep
}

// deep counts the threads that are in the calls.
func (rep *report) deep(calls []string) (n int) {
	for i := range rep.Threads {
		if follows(rep.Threads[i].stack(), calls) {
			n++
		}
	}
	return n
}

// checkChains requires that count threads are in the calls and that no walk ended
// early.
func (r *room) checkChains(rep *report, calls []string, count int) {
	r.Helper()
	r.Logf("%d threads: %d frames, %d walks, %d to the bottom, stopped %v",
		len(rep.Threads), rep.Frames, rep.Walks, rep.ToBottom, time.Duration(rep.Stopped).Round(time.Microsecond))
	if rep.ToBottom != rep.Walks || rep.Walks < count || len(rep.Notes) != 0 {
		r.Errorf("%d of %d walks reached the bottom; notes: %q", rep.ToBottom, rep.Walks, rep.Notes)
	}
	for i := range rep.Threads {
		th := &rep.Threads[i]
		switch why := th.whole(); {
		case why != "" && r.toldStale(th):
			r.Logf("registers of an earlier call: %s: %v", why, th)
		case why != "" && r.inCodeOfLinux(th):
			r.Logf("in code of Linux: %s: %v", why, th)
		case why != "":
			r.Errorf("%s: %v", why, th)
		}
		if twice(th.Nodes) {
			r.Errorf("the same frame twice: %v", th)
		}
	}
	if deep := rep.deep(calls); deep != count {
		r.Errorf("%d threads are in the %d calls, want %d", deep, len(calls), count)
		r.logOthers(rep, calls)
	}
}

// toldStale reports whether a thread is one that this space gives registers of a call
// which is long over, as if it were in that still: it takes the lowest words on the
// thread's stack that look like those of a thread which enters the kernel, and below
// the true ones there may be some that were left over. A debugger on Linux shows such
// a thread in another call, or in none. Its first callers are then no callers, so that
// a guess stands where the true ones begin. In the plain mode nothing is excused.
func (r *room) toldStale(th *thread) bool {
	const few = 5
	inner := th.Nodes[max(0, len(th.Nodes)-few):]
	return r.isLikeXNU() && runtime.GOOS == "linux" && slices.ContainsFunc(inner, func(n node) bool { return n.Guess })
}

// inCodeOfLinux reports whether a thread is in what this space calls to be served by
// Linux, of which Darwin's images have nothing, and all its callers are known.
func (r *room) inCodeOfLinux(th *thread) bool {
	last := len(th.Nodes) - 1
	if len(r.runner) == 0 || last < 0 || th.Nodes[last].Image != nil {
		return false
	}
	rest := *th
	rest.Nodes = th.Nodes[:last]
	return rest.whole() == ""
}

func twice(nodes []node) bool {
	for i := 1; i < len(nodes); i++ {
		if !nodes[i].Inlined && nodes[i].Address == nodes[i-1].Address {
			return true
		}
	}
	return false
}

// logOthers shows some of the threads that are not in the calls.
func (r *room) logOthers(rep *report, calls []string) {
	shown := 0
	for i := range rep.Threads {
		if th := &rep.Threads[i]; shown < 6 && !follows(th.stack(), calls) {
			r.Log(th)
			shown++
		}
	}
}
