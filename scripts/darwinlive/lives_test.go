//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// functions are all that a report names.
func (rep *report) functions() map[string]bool {
	names := map[string]bool{}
	for _, th := range rep.Threads {
		for _, n := range th.Nodes {
			names[n.Function] = true
		}
	}
	return names
}

func (rep *report) imageNames() []string {
	var names []string
	for _, im := range rep.Images {
		names = append(names, im.Name)
	}
	return names
}

// mustName requires functions in a report.
func (r *room) mustName(rep *report, functions ...string) {
	r.Helper()
	names := rep.functions()
	for _, f := range functions {
		if !names[f] {
			r.Errorf("%s is not among %d functions: %v", f, len(names), names)
		}
	}
}

// TestLaunch: a command is sampled from start to end, through an exec, and its exit
// code is passed on.
func TestLaunch(t *testing.T) {
	program := compile(t, "lives.c", cFlags...)
	live(t, 2*time.Minute, func(r *room) {
		for _, mode := range []string{"run", "exec"} {
			r.longEnough(func(ms string, last bool) (done bool) { return r.launch(program, mode, ms, last) })
		}
	})
}

// longEnough has programs live for some milliseconds, and for longer where that was
// not enough: a busy machine needs it.
func (r *room) longEnough(try func(ms string, last bool) (done bool)) {
	_ = try("1500", false) || try("6000", false) || try("24000", true)
}

// launch reports whether a program was sampled at work before it ended, which the last
// one has to be.
func (r *room) launch(program, mode, ms string, last bool) (done bool) {
	file := filepath.Join(r.TempDir(), "report")
	res := r.snap("-i", "20ms", "-f", "json", "-o", r.inside(file), "--", r.inside(program), mode, ms, "7")
	text, err := os.ReadFile(file)
	if !last && res.code == 7 && !strings.Contains(string(text), `"function": "running"`) {
		return false
	}
	if res.code != 7 || err != nil || strings.Contains(res.err, "cannot") {
		r.Fatalf("%s: exit code %d, %v: %s", mode, res.code, err, res.err)
	}
	documents := strings.SplitAfter(string(text), "\n}\n") // one for each program
	rep := r.parse(documents[max(0, len(documents)-2)])
	r.mustName(rep, "main", "running")
	if !slices.Contains(rep.imageNames(), filepath.Base(program)) {
		r.Errorf("%s: images %v", mode, rep.imageNames())
	}
	r.Logf("%s: %d samples; said %q", mode, rep.Snapshots, strings.TrimSpace(res.err))
	return true
}

// TestExecWhileSampled: a process that becomes another program is sampled on.
func TestExecWhileSampled(t *testing.T) {
	program := compile(t, "lives.c", cFlags...)
	live(t, 2*time.Minute, func(r *room) {
		r.longEnough(func(ms string, last bool) (done bool) {
			file := filepath.Join(r.TempDir(), "report")
			res := r.snap("-i", "20ms", "-o", r.inside(file), "--", r.inside(program), "exec", ms, "0")
			text, _ := os.ReadFile(file)
			if done = strings.Contains(string(text), " running (lives"); res.code != 0 || last && !done {
				r.Errorf("exit code %d: %s\n%s", res.code, res.err, text)
			}
			return done
		})
	})
}

// TestChildren: each process of a command has its report. The plain mode of the
// space does not say who is whose child.
func TestChildren(t *testing.T) {
	program := compile(t, "lives.c", cFlags...)
	liveIn(t, likeXNU(), 2*time.Minute, func(r *room) {
		r.longEnough(func(ms string, last bool) (done bool) {
			res := r.snap("--children", "-i", "20ms", "--", r.inside(program), "spawn", ms, "3")
			reports := strings.Count("\n"+res.err, "\nProcess:")
			done = reports == 3 && strings.Count(res.err, " running (lives") >= 2 && strings.Contains(res.err, "waiting")
			if res.code != 3 || last && !done {
				r.Errorf("exit code %d, %d reports: %s\n%s", res.code, reports, res.out, tail(res.err))
			}
			return done
		})
	})
}

// TestExitInTheMiddle: what was captured until then is printed.
func TestExitInTheMiddle(t *testing.T) {
	program := compile(t, "lives.c", cFlags...)
	live(t, 2*time.Minute, func(r *room) {
		r.longEnough(func(ms string, last bool) (done bool) {
			p := r.target(program, "run", ms, "0")
			const none, exited = 3, 5
			res := r.snap("-p", fmt.Sprint(p.pid), "-d", "1h", "-i", "20ms", "-f", "json")
			if !last && (res.code == none || res.code == exited && !strings.Contains(res.out, `"function": "running"`)) {
				return false
			}
			if res.code != exited || strings.Count(res.err, "\n") > 1 {
				r.Fatalf("exit code %d: %s", res.code, res.err)
			}
			r.mustName(r.parse(res.out), "main", "running")
			return true
		})
	})
}

// TestForkWithoutExec: a child that goes on as its parent did. In the plain mode of
// the space TASK_DYLD_INFO of such a one is never answered.
func TestForkWithoutExec(t *testing.T) {
	program := compile(t, "lives.c", cFlags...)
	liveIn(t, likeXNU(), time.Minute, func(r *room) {
		p := r.target(program, "fork", "600000", "0")
		rep := r.look(p)
		r.mustName(rep, "main", "forked")
		if rep.ToBottom != rep.Walks {
			r.Errorf("%d of %d walks reached the bottom: %v", rep.ToBottom, rep.Walks, &rep.Threads[0])
		}
	})
}

// TestLibraryComesAndGoes: two libraries are loaded in one place in turn, faster
// than dyld's list of them can be read there. All that stays is named in every look
// and in most samples, and whatever is named in one of the two is where the
// function above it has called that.
func TestLibraryComesAndGoes(t *testing.T) {
	program := compile(t, "lives.c", cFlags...)
	a := compile(t, "library.c", "-O1", "-shared", "-DVISIT=visit_first")
	b := compile(t, "library.c", "-O1", "-shared", "-DVISIT=visit_second")
	live(t, 3*time.Minute, func(r *room) {
		p := r.target(program, "load", r.inside(a), r.inside(b))
		for range 10 {
			rep := r.look(p)
			r.mustName(rep, "main")
			r.checkVisits(rep, a, b)
		}
		visits, stacks, samples := 0, 0, 0
		const few, most = 3, 12 // reports: a small machine takes few samples, and a visit is short
		for n := 0; n < few || n < most && (visits == 0 || samples < 30); n++ {
			rep := r.report("-p", fmt.Sprint(p.pid), "-d", "4s", "-i", "20ms")
			visits += r.checkVisits(rep, a, b)
			stacks += rep.Threads[0].named("main")
			samples += rep.Snapshots
			r.Logf("%d samples, %d with main, %d frames, notes %q", rep.Snapshots, rep.Threads[0].named("main"), rep.Frames, rep.Notes)
		}
		// One that falls into a library which nobody has seen yet is left out, and the
		// list is read in a tenth of the time only: on a busy machine a third was.
		if stacks == 0 || timing() && (samples < 30 || stacks < samples/3) {
			r.Errorf("main is in %d of %d samples", stacks, samples)
		}
		if timing() && visits == 0 {
			r.Errorf("the libraries' own functions are in no sample")
		}
	})
}

// named tells how often a function was sampled.
func (th *thread) named(function string) (count int) {
	for _, n := range th.Nodes {
		if n.Function == function {
			count += n.Count
		}
	}
	return count
}

// checkVisits requires that each function which calls a library's stands above no
// other's, and that those are told to be where they are. It returns how often they
// were seen.
func (r *room) checkVisits(rep *report, a, b string) (seen int) {
	r.Helper()
	for _, c := range []struct{ caller, function, library string }{
		{"first", "visit_first", a}, {"second", "visit_second", b},
	} {
		for _, th := range rep.Threads {
			for i := range th.Nodes {
				n := &th.Nodes[i]
				in := n.Image != nil && rep.Images[*n.Image].Name == filepath.Base(c.library)
				if !in && n.Function != c.function {
					continue
				}
				seen += n.Count
				if !in || n.Function != c.function || n.Parent < 0 || th.Nodes[n.Parent].Function != c.caller {
					r.Errorf("%s of %s, called by %s:\n%v", n.Function, c.library, c.caller, &th)
				}
			}
		}
	}
	return seen
}
