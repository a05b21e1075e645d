//go:build linux

package procfs

import (
	"testing"
	"time"

	"stacksnap/task"
)

func TestParseLifetime(t *testing.T) {
	const line = "7 (a) b) R 1 7 7 0 -1 4194304 100 5 23 6 8 9 0 0 39 19 1 0 150 0\n"
	got, ok := parseLifetime([]byte(line), 3500*time.Millisecond)
	if want := (task.Lifetime{Age: 2 * time.Second, Faults: 123, DiskFaults: 23, Nice: 19}); !ok || got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, ok := parseLifetime([]byte("7 (a) R 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 15 -5 1 0 1 0\n"), time.Second); !ok || got.Nice != -5 {
		t.Errorf("%+v", got)
	}
	if _, ok := parseLifetime([]byte(line), 1500*time.Millisecond); ok {
		t.Error("a thread that begins in the future has an age")
	}
	for end := range len(line) - len(" 0\n") {
		if l, ok := parseLifetime([]byte(line[:end]), time.Hour); ok && end < len(line)-len("150 0\n") {
			t.Fatalf("%q: %+v", line[:end], l)
		}
	}
}

// TestLifetime: a process that was started has an age, and has had page faults.
func TestLifetime(t *testing.T) {
	pid := startTarget(t).Process.Pid
	p := openTarget(t, pid)
	l, ok := p.Lifetime(task.ThreadID(pid))
	if !ok || l.Age <= 0 || l.Faults == 0 {
		t.Errorf("%+v, %v", l, ok)
	}
}
