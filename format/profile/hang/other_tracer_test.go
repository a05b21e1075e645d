package hang

import (
	"testing"
	"time"

	"stacksnap/task"
)

// TestTracingIsTold: once when it begins and once when it ends, and in the report
// whose time it was.
func TestTracingIsTold(t *testing.T) {
	const begins = "pid 7 (gdb) traces the target: until it lets go, no stacks can be captured"
	by, s := &task.TracedError{PID: 1, Tracer: 7, Name: "gdb"}, time.Second
	var tr tracing
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("free", tr.end(0), "")
	check("nothing to note", tr.note(0), "")
	check("begins", tr.begin(by, 10*s), begins)
	check("goes on", tr.begin(by, 11*s), "")
	tr.restart(12 * s) // a hang begins
	check("a report while it goes on", tr.note(14*s), "no stacks were captured for 2s, while pid 7 (gdb) traced the target")
	check("ends", tr.end(15*s+200*time.Millisecond), "pid 7 (gdb) no longer traces the target: it did for 5.2s")
	check("ended", tr.end(16*s), "")
	check("begins again", tr.begin(by, 20*s), begins)
	check("ends again", tr.end(20*s+42*time.Millisecond), "pid 7 (gdb) no longer traces the target: it did for 42ms")
	check("all of it", tr.note(30*s), "no stacks were captured for 1.24s, while pid 7 (gdb) traced the target")
	check("once", tr.note(31*s), "")
}
