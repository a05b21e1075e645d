//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// goroutine is an entry of alike goroutines in a report.
type goroutine struct {
	ID            uint64
	Runtime, Wait string
	System        bool
	Count         int
	Created       *node
	Nodes         []node
}

// String returns the entry in the words of Go's traceback, which leaves out functions of the
// runtime that are not exported (runtime.showfuncinfo).
func (g *goroutine) String() string {
	text := g.Wait
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		n := &g.Nodes[i]
		if name, own := strings.CutPrefix(n.Function, "runtime."); !own || name != "" && name[0] >= 'A' && name[0] <= 'Z' {
			text += "\n" + n.place()
		}
	}
	if g.Created != nil {
		text += "\ncreated by " + g.Created.place()
	}
	return text
}

func (n *node) place() string {
	return fmt.Sprintf("%s %s:%d", strings.TrimSuffix(n.Function, ".abi0"), n.File, n.Line)
}

var (
	tracebackHead   = regexp.MustCompile(`^goroutine (\d+) \[([^],]*)`)
	tracebackPlace  = regexp.MustCompile(`^\t(.*:\d+)`)
	tracebackCaller = regexp.MustCompile(`^(created by .*?)( in goroutine \d+)?$`)
	tracebackCall   = regexp.MustCompile(`^(.*)\(.*\)$`)
)

// traceback returns what Go's own traceback says of each goroutine, in the words of
// [goroutine.String].
func traceback(text string) map[uint64]string {
	all := map[uint64]string{}
	var id uint64
	for line := range strings.SplitSeq(text, "\n") {
		if m := tracebackHead.FindStringSubmatch(line); m != nil {
			id, _ = strconv.ParseUint(m[1], 10, 64)
			all[id] = m[2]
		} else if m := tracebackPlace.FindStringSubmatch(line); m != nil {
			all[id] += " " + m[1]
		} else if m := tracebackCaller.FindStringSubmatch(line); m != nil {
			all[id] += "\n" + m[1]
		} else if m := tracebackCall.FindStringSubmatch(line); m != nil {
			all[id] += "\n" + m[1]
		}
	}
	return all
}

// compileBlocked builds the program whose goroutines block in known ways, with cgo or without.
func compileBlocked(t testing.TB, cgo bool) string {
	return once(t, fmt.Sprint("blocked", cgo), func(out string) error {
		dir := filepath.Join(repository, "format", "profile", "capture", "goroutines", "testdata", "blocked")
		build := []string{"go", "build", "-C", dir, "-trimpath", "-buildvcs=false", "-o", out}
		switch {
		case cgo && runtime.GOOS == "darwin":
			return run(repository, []string{"CGO_ENABLED=1"}, append(build, ".")...)
		case cgo: // without -w Go calls dsymutil, which is a Mac's
			return run(repository, nil, append(append([]string{"scripts/build-darwin.sh", "run", "amd64"}, build...), "-ldflags=-w", ".")...)
		}
		return run(repository, []string{"CGO_ENABLED=0", "GOOS=darwin", "GOARCH=" + runtime.GOARCH}, append(build, ".")...)
	})
}

// TestGoroutines compares the goroutines that no thread runs with the traceback that the program
// itself made: what they wait in, functions, files, lines and creators.
func TestGoroutines(t *testing.T) {
	for _, cgo := range []bool{false, true} {
		t.Run(fmt.Sprint("cgo ", cgo), func(t *testing.T) {
			program := compileBlocked(t, cgo)
			live(t, 2*time.Minute, func(r *room) {
				for _, n := range []int{1, 100} {
					p := r.target(program, strconv.Itoa(n))
					r.compareGoroutines(r.look(p), traceback(p.output(0)))
					p.kill()
				}
			})
		})
	}
}

// compareGoroutines requires all goroutines of a traceback that no thread runs, and no others.
func (r *room) compareGoroutines(rep *report, truth map[uint64]string) {
	r.Helper()
	const mainID = 1 // wrote the traceback
	want := map[string]int{}
	for id, text := range truth {
		if id != mainID {
			want[text]++
		}
	}
	kinds, all := len(want), 0
	for i := range rep.Tasks {
		g := &rep.Tasks[i]
		if g.ID == mainID || g.System { // the traceback has none of the runtime's own
			continue
		}
		if truth[g.ID] != g.String() {
			r.Errorf("goroutine %d is\n%v\nwant\n%s", g.ID, g, truth[g.ID])
		}
		want[g.String()] -= g.Count
		all += g.Count
	}
	for text, n := range want {
		if n != 0 {
			r.Errorf("%d goroutines are missing of\n%s", n, text)
		}
	}
	if len(rep.Tasks) == 0 || !strings.HasPrefix(rep.Tasks[0].Runtime, "Go 1.") || len(rep.Notes) != 0 {
		r.Errorf("notes %q, %d entries", rep.Notes, len(rep.Tasks))
	}
	r.Logf("%d goroutines of %d kinds, in %d entries, beside %d threads", all, kinds, len(rep.Tasks), len(rep.Threads))
}
