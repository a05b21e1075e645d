package words

import (
	"strings"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestEachLockHasASentence: a new kind of lock needs a name, and a new action of a peer a word.
func TestEachLockHasASentence(t *testing.T) {
	p := &Printer{Profile: &profile.Profile{Target: task.Info{OS: task.Linux, PID: 1}}}
	for k := profile.Mutex; k.String() != "unknown"; k++ {
		got := p.WaitFor(2, &profile.Wait{Call: "futex", Lock: k, Owner: 3})
		want := "for " + k.String() + ", " + had(k) + " by thread 3"
		if k == profile.ThreadEnd {
			want = "for thread 3 to end"
		}
		if k == profile.GIL {
			want = "for the GIL, held by thread 3"
		}
		if k.String() == "" || got != want {
			t.Errorf("lock %d: %q, want %q", k, got, want)
		}
	}
	for a := profile.Write; a.String() != "unknown"; a++ {
		w := &profile.Wait{Call: "read", Lock: profile.Mutex, Peer: profile.Peer{PID: 9, Name: "peer", Action: a}}
		if got := p.WaitFor(2, w); a.String() == "" || !strings.Contains(got, "peer [9]") {
			t.Errorf("action %d: %q", a, got)
		}
	}
}

// TestQueuesAreKnownByTheirLabels: the address of a dispatch queue is said only of one without a label.
func TestQueuesAreKnownByTheirLabels(t *testing.T) {
	p := &Printer{Profile: &profile.Profile{Target: task.Info{OS: task.Darwin, PID: 1}}}
	for object, want := range map[string]string{
		`"com.example.x"`:              `for queue "com.example.x", drained by thread 0x3`,
		`"com.example.x" (suspended)`:  `for queue "com.example.x" (suspended), drained by thread 0x3`,
		`""`:                           `for queue 0x70 "", drained by thread 0x3`,
		"for which there is no thread": `for queue 0x70 for which there is no thread, drained by thread 0x3`,
		"":                             `for queue 0x70, drained by thread 0x3`,
	} {
		w := &profile.Wait{Call: "__ulock_wait", Lock: profile.Queue, Addr: 0x70, Object: object, Owner: 3}
		if got := p.WaitFor(2, w); got != want {
			t.Errorf("%q: %q, want %q", object, got, want)
		}
	}
}
