//go:build darwinlive && linux

package darwinlive

import (
	"flag"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"stacksnap/scripts/firstscreen"
)

var update = flag.Bool("update", false, "rewrite testdata/screens with what is shown now")

// situation is one way in which a program is broken: one of scripts/e2e/testdata/screens, or, with
// the folder, of what Linux does not have.
type situation struct {
	name, source string
	args         []string
	in           state
	says         []string // regular expressions that the first screen has to match
	varies       bool     // the headline, from run to run
}

// state reports whether a program has come to what a situation is about.
type state func(*report) bool

// callsIn is the state in which n threads are in a function, or in what it calls.
func callsIn(function string, n int) state {
	return func(rep *report) bool {
		in := 0
		for i := range rep.Threads {
			for _, name := range rep.Threads[i].stack() {
				if strings.HasPrefix(name, function) {
					in++
					break
				}
			}
		}
		return in == n
	}
}

var situations = []situation{
	{name: "deadlock-cpp", source: "orders.cpp", in: callsIn("__psynch_mutexwait", 2),
		says: []string{`^2 of 3 threads are deadlocked`, `mutex checking`, `mutex savings`, `transfer\(Account&, Account&\) \(orders\.cpp:1[67]\)`}},
	{name: "deadlock-queues", source: "testdata/deadlock_queues.c", in: callsIn("__DISPATCH_WAIT_FOR_QUEUE__", 4),
		says: []string{`^2 of 4 threads are deadlocked`, `queue "com\.example\.y" +drained by thread 0x\w+ in __main_block_invoke \(deadlock_queues\.c:22\)`,
			`queue "com\.example\.x" +drained by thread 0x\w+ in __main_block_invoke_2 \(deadlock_queues\.c:23\)`}},
	{name: "leaked-threads", source: "leak.c", args: []string{"200"}, in: callsIn("session", 200),
		says: []string{`^200 of 201 threads wait in read: fd 3, called by session \(leak\.c:9\)`}},
	{name: "lost-wakeup", source: "wakeup.c", in: callsIn("__psynch_cvwait", 1),
		says: []string{`^main thread waits in psynch_cvwait: condition variable job_ready, called by wait_for_job \(wakeup\.c:10\)`}},
	{name: "contention", source: "contention.c", in: callsIn("work", 8), varies: true,
		says: []string{`add_totals \(contention\.c:\d+\)`}},
	{name: "spin", source: "spin.c", in: callsIn("await_config", 1),
		says: []string{`^busy: thread 0x\w+, in await_config \(spin\.c:\d+\)`}},
	{name: "mallocs", source: "mallocs.cpp", in: callsIn("handle_request", 1), varies: true,
		says: []string{`^busy: [^\n]*handle_request.*mallocs\.cpp:\d`}},
}

// TestFirstScreen: the first screen of a broken program names the cause, in the program's own
// function, file and line. testdata/screens has each screen as people last read it.
//
//	go test -tags darwinlive -run TestFirstScreen ./scripts/darwinlive [-update]
func TestFirstScreen(t *testing.T) {
	for i := range situations {
		s := &situations[i]
		t.Run(s.name, func(t *testing.T) {
			liveIn(t, likeXNU(), time.Minute, func(r *room) { r.checkScreen(s) })
		})
	}
}

func (r *room) checkScreen(s *situation) {
	r.Helper()
	source := s.source
	if filepath.Dir(source) == "." {
		source = filepath.Join("..", "e2e", "testdata", "screens", source)
	}
	m := r.compileMapped(source)
	r.moveInside(&m)
	p := r.target(append([]string{compile(r.T, "ready.c", cFlags...), r.inside(m.program)}, s.args...)...)
	r.eventually("it is broken", func() bool { return s.in(r.look(p)) })
	screen := r.firstScreen(p)
	for _, want := range s.says {
		if !firstscreen.Says(screen, want) {
			r.Errorf("nothing matches %q", want)
		}
	}
	if bad := firstscreen.Misleading(screen); bad != "" {
		r.Errorf("%q misleads", bad)
	}
	g := firstscreen.Golden{File: filepath.Join("testdata", "screens", s.name+".txt"), Update: *update, Varies: s.varies}
	g.Compare(r, screen)
	if r.Failed() {
		r.Logf("the first screen:\n%s", screen)
	}
}

// endOfReport is written to the terminal after a report.
const endOfReport = "\x00"

// firstScreen returns what a person at a terminal sees first of a report on a program.
func (r *room) firstScreen(p *program) string {
	r.Helper()
	r.Setenv("TERM", "xterm-256color")
	r.Setenv("LC_ALL", "C.UTF-8")
	r.Setenv("PAGER", "cat")
	ours, theirs := r.terminal(firstscreen.Columns, firstscreen.Rows)
	defer theirs.Close()
	var shown screen
	go shown.read(ours)
	res := r.startAt(theirs, built.stacksnap, strconv.Itoa(p.pid)).wait()
	if res.code != 0 || res.err != "" {
		r.Fatalf("exit code %d: %s", res.code, tail(res.err))
	}
	if _, err := theirs.WriteString(endOfReport); err != nil {
		r.Fatal(err)
	}
	r.eventually("all of it is read", func() bool { return strings.Contains(shown.text(), endOfReport) })
	text, _, _ := strings.Cut(shown.text(), endOfReport)
	return firstscreen.Of([]byte(withoutSpaceLines(text)))
}
