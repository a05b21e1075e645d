//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// group is what is read of a document of several processes (format/jsondoc/JSON.md).
type group struct {
	Schema    string
	Summary   string
	Spread    *int64 `json:"spread_ns"`
	Captured  int
	Missing   []struct{ PID int }
	Processes []report
}

// group runs stacksnap to its end and reads what it reports on several processes.
func (r *room) group(args ...string) *group {
	r.Helper()
	text := r.ok(r.snap(append(args, "-f", "json")...))
	g := new(group)
	if i := strings.Index("\n"+text, "\n{\n"); i > 0 { // see parse
		text = text[i:]
	}
	if err := json.Unmarshal([]byte(text), g); err != nil || g.Captured != len(g.Processes) {
		r.Fatalf("no group: %v\n%s", err, tail(text))
	}
	return g
}

// pids are those of the processes, in their order.
func (g *group) pids() (pids []int) {
	for i := range g.Processes {
		pids = append(pids, g.Processes[i].Target.PID)
	}
	return pids
}

// TestSeveral: two processes, named by their pids and by their name, once and
// sampled together.
func TestSeveral(t *testing.T) {
	program := compile(t, "lives.c", cFlags...)
	live(t, 2*time.Minute, func(r *room) {
		a, b := r.target(program, "run", "60000", "0"), r.target(program, "run", "60000", "0")
		for _, more := range [][]string{nil, {"-n", "5", "-i", "20ms"}} {
			g := r.group(append(more, "-p", fmt.Sprint(b.pid), "-p", fmt.Sprint(a.pid))...)
			if !slices.Equal(g.pids(), []int{b.pid, a.pid}) || (g.Spread != nil) != (more == nil) {
				r.Fatalf("%v: %v, spread %v", more, g.pids(), g.Spread)
			}
			for i := range g.Processes {
				r.mustName(&g.Processes[i], "main", "running")
			}
		}
		if !r.space.isLikeXNU() { // it does not tell the name of each
			return
		}
		g := r.group("-p", filepath.Base(program), "--all")
		if pids := g.pids(); !slices.Contains(pids, a.pid) || !slices.Contains(pids, b.pid) {
			r.Errorf("--all: %v, want %d and %d among them", pids, a.pid, b.pid)
		}
	})
}

// TestTree: a process and the two that it has started. The plain mode of the space
// does not say who is whose child.
func TestTree(t *testing.T) {
	program := compile(t, "lives.c", cFlags...)
	liveIn(t, likeXNU(), 2*time.Minute, func(r *room) {
		root := fmt.Sprint(r.look(r.target(program, "spawn", "60000", "0")).Target.ParentPID) // it is a child that is ready
		var g *group
		for g == nil || len(g.Processes) != 3 || !g.Processes[1].functions()["running"] || !g.Processes[2].functions()["running"] {
			if g = r.group("-p", root, "--tree"); time.Now().After(r.until) {
				r.Fatalf("%v are not three that run", g.pids())
			}
		}
		if fmt.Sprint(g.pids()[0]) != root || len(g.Missing) != 0 {
			r.Errorf("%v, missing %v, want %s first", g.pids(), g.Missing, root)
		}
		r.mustName(&g.Processes[0], "main", "waiting")
	})
}
