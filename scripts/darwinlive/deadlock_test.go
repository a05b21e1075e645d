//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// waiter is a thread that waits, as the target or as a report has it. A queue's
// name is in quotes; a mutex has that of its variable instead.
type waiter struct {
	id                            uint64
	lock, address, name, variable string
	owner                         uint64
}

// stuck is what a target says of its own threads (testdata/deadlock.h): who waits
// for what, and one circle.
type stuck struct {
	waits  []waiter
	circle []uint64
}

var (
	waitsLine  = regexp.MustCompile(`(?m)^waits (\d+) \[(.*)\] (0x\w+) \[(.*)\] (\d+)$`)
	circleLine = regexp.MustCompile(`(?m)^circle (\d+) (\d+)$`)
)

func parseStuck(out string) (s stuck) {
	number := func(text string) uint64 {
		n, _ := strconv.ParseUint(text, 10, 64)
		return n
	}
	for _, m := range waitsLine.FindAllStringSubmatch(out, -1) {
		w := waiter{id: number(m[1]), lock: m[2], address: m[3], name: m[4], owner: number(m[5])}
		if w.address == "0x0" {
			w.address = ""
		}
		if w.lock == "mutex" {
			w.name, w.variable = "", w.name
		}
		if w.name != "" {
			w.name = strconv.Quote(w.name)
		}
		s.waits = append(s.waits, w)
	}
	for _, m := range circleLine.FindAllStringSubmatch(out, -1) {
		s.circle = []uint64{number(m[1]), number(m[2])}
	}
	return s
}

// TestDeadlocks: every thread that is stuck is told with what it waits for and who
// has it, and the circle in a line of its own, in the report for people and in
// JSON.
func TestDeadlocks(t *testing.T) {
	for name, waits := range map[string]int{"mutexes": 2, "queues": 4, "join": 3} {
		t.Run(name, func(t *testing.T) {
			program := compile(t, "deadlock_"+name+".c", cFlags...)
			live(t, time.Minute, func(r *room) {
				p := r.target(program)
				want := parseStuck(p.output(0))
				if len(want.waits) != waits || len(want.circle) != 2 {
					r.Fatalf("the target says %+v", want)
				}
				if r.isLikeXNU() {
					r.checkStuck(p, &want)
				} else {
					r.checkNoneInvented(p, &want)
				}
			})
		})
	}
}

// checkStuck requires all that the target says of itself, and no other circle.
func (r *room) checkStuck(p *program, want *stuck) {
	r.Helper()
	var rep *report
	var got []waiter
	for range 50 { // "ready" comes a moment before the last wait
		rep = r.look(p)
		if got = told(rep, want); slices.Equal(got, want.waits) {
			break
		}
	}
	if !slices.Equal(got, want.waits) {
		r.Errorf("it waits as\n%+v\nand the target says\n%+v", got, want.waits)
	}
	if len(rep.Deadlocks) != 1 || len(rep.Deadlocks[0]) != len(want.circle) {
		r.Fatalf("deadlocks: %+v, want one of %v", rep.Deadlocks, want.circle)
	}
	for _, w := range rep.Deadlocks[0] {
		if i := want.of(w.ID); !slices.Contains(want.circle, w.ID) || i < 0 || w.Wait.waiter(w.ID) != want.waits[i] {
			r.Errorf("in the circle: thread %d, %+v", w.ID, w.Wait)
		}
	}
	r.checkDeadlockLine(p, want)
}

// checkNoneInvented is for a space in which a thread that waits is some calls
// further than on XNU, where nothing is known of it: what is told all the same
// must be true.
func (r *room) checkNoneInvented(p *program, want *stuck) {
	r.Helper()
	rep := r.look(p)
	if rep.ToBottom != rep.Walks || rep.Walks < len(want.waits) {
		r.Errorf("%d of %d walks reached the bottom", rep.ToBottom, rep.Walks)
	}
	for _, w := range told(rep, want) {
		if i := want.of(w.id); w.lock != "" && w != want.waits[i] {
			r.Errorf("told: %+v; the target says %+v", w, want.waits[i])
		}
	}
	for _, circle := range rep.Deadlocks {
		for _, w := range circle {
			if !slices.Contains(want.circle, w.ID) {
				r.Errorf("a deadlock was made up: %+v", circle)
			}
		}
	}
}

// told is what a report has of the threads that the target names, in its order.
func told(rep *report, want *stuck) []waiter {
	got := make([]waiter, len(want.waits))
	for i := range rep.Threads {
		th := &rep.Threads[i]
		if n := want.of(th.ID); n >= 0 && th.Wait != nil {
			got[n] = th.Wait.waiter(th.ID)
		}
	}
	return got
}

// of is where a thread is among those that wait, -1: nowhere.
func (s *stuck) of(id uint64) int {
	return slices.IndexFunc(s.waits, func(w waiter) bool { return w.id == id })
}

func (w *wait) waiter(id uint64) waiter {
	return waiter{id: id, lock: w.Lock, address: w.Address, name: w.Object, variable: w.Variable, owner: w.Owner}
}

// checkDeadlockLine requires the row of each thread of the circle, and a line at each
// thread, in a report for people.
func (r *room) checkDeadlockLine(p *program, want *stuck) {
	r.Helper()
	var wrong []string
	for range 50 { // a wait is told if it is proven, and a stop may end it for a moment
		text := withoutNames(r.ok(r.snap("-p", fmt.Sprint(p.pid))))
		if wrong = want.wrongLines(text); len(wrong) == 0 {
			r.Log(deadlockTable.FindString(text))
			return
		}
	}
	r.Error(strings.Join(wrong, "\n"))
}

// deadlockTable is what a report has of a deadlock: a title, and indented lines.
var deadlockTable = regexp.MustCompile(`(?m)^Deadlock: .*$(\n  .*$)*`)

// wrongLines says what in a report is not as it must be.
func (s *stuck) wrongLines(text string) (wrong []string) {
	tables := deadlockTable.FindAllString(text, -1)
	if len(tables) != 1 || !strings.Contains(tables[0], "2 threads wait for each other") {
		wrong = append(wrong, fmt.Sprintf("deadlocks %q, want one of two threads", tables))
	}
	for _, id := range s.circle {
		one := s.waits[s.of(id)]
		row := strings.ReplaceAll(fmt.Sprintf("thread %#x waits %v", one.id, one), ",", "")
		if plain := strings.Join(strings.Fields(strings.ReplaceAll(strings.Join(tables, "\n"), ",", "")), " "); !strings.Contains(strings.ReplaceAll(plain, " (main)", ""), row) {
			wrong = append(wrong, fmt.Sprintf("no row %q in %q", row, plain))
		}
	}
	for _, w := range s.waits {
		if line := "\n  waits " + w.String() + "\n"; !strings.Contains(text, line) {
			wrong = append(wrong, fmt.Sprintf("no line %q in\n%s", line, tail(text)))
		}
	}
	return wrong
}

// withoutNames leaves out how the threads of a report are called.
func withoutNames(text string) string {
	return regexp.MustCompile(`(thread 0x\w+) "[^"]*"`).ReplaceAllString(text, "$1")
}

// String is what the report for people says that the thread waits for.
func (w waiter) String() string {
	switch w.lock {
	case "thread":
		return fmt.Sprintf("for thread %#x to end", w.owner)
	case "queue":
		return fmt.Sprintf("for queue %s, drained by thread %#x", w.name, w.owner)
	}
	return fmt.Sprintf("for %s %s, held by thread %#x", w.lock, cmp.Or(w.variable, w.address), w.owner)
}
