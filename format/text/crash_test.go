package text

import (
	"bytes"
	"strings"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// A process that took more of something than it may has not crashed.
func TestOverALimit(t *testing.T) {
	for signal, want := range map[string][2]string{
		"EXC_RESOURCE": {"over a limit: EXC_RESOURCE", "Over a limit:"}, "SIGSEGV": {"crashed: SIGSEGV", "Crashed:"},
	} {
		p := &profile.Profile{Snapshots: 1, Threads: []*profile.Thread{{ID: 7, Samples: 1}}, Target: task.Info{PID: 1, Crash: &task.Crash{Signal: signal, Thread: 7}}}
		if got := words.Headline(p); !strings.HasPrefix(got, want[0]) {
			t.Errorf("%q, want %q", got, want[0])
		}
		var b bytes.Buffer
		if err := Tree(&b, report.Of(p), words.Options{}); err != nil || !strings.Contains(b.String(), want[1]) {
			t.Errorf("%v: no %q in %s", err, want[1], b.String())
		}
	}
}
