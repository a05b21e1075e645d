package words

import (
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
)

// TestWaitedForCPU has the share of the time in which threads were runnable, from a fifth on.
func TestWaitedForCPU(t *testing.T) {
	const ms = time.Millisecond
	for want, b := range map[string]headline.CPUTime{
		"": {OnCPU: 801 * ms, Queue: 199 * ms},
		", waiting for a CPU 20 % of the time when runnable":  {OnCPU: 800 * ms, Queue: 200 * ms},
		", waiting for a CPU 100 % of the time when runnable": {Queue: 200 * ms},
	} {
		if got := waitedForCPU(&b); got != want {
			t.Errorf("%+v: %q, want %q", b, got, want)
		}
	}
	if got := waitedForCPU(&headline.CPUTime{}); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

func TestLocated(t *testing.T) {
	inner := &profile.Node{Location: profile.Location{Function: "read", Image: &profile.Image{Path: "/lib/libc.so.6"}}, Count: 3, Self: 3, Spent: profile.Spent{OnCPU: 10 * time.Millisecond}}
	own := &profile.Node{Location: profile.Location{Function: "serve", Image: &profile.Image{Path: "/bin/server"}, File: "/src/server.c", Line: 7}, Count: 3, Children: []*profile.Node{inner}}
	th := &profile.Thread{ID: 1, Main: true, Samples: 3, Roots: []*profile.Node{own}, Spent: inner.Spent}
	p := &profile.Profile{Snapshots: 1, Threads: []*profile.Thread{th}}
	if got, want := Headline(p), "main thread in read (libc.so.6), called by serve (server.c:7)"; got != want {
		t.Errorf("one snapshot: %q, want %q", got, want)
	}
	p.Snapshots, p.Start, p.End = 3, time.Unix(100, 0), time.Unix(101, 0)
	want := "main thread in read (libc.so.6) in 100 % of its samples, called by serve (server.c:7); CPU time was 0.010 s in 1.000 s"
	if got := Headline(p); got != want {
		t.Errorf("three: %q, want %q", got, want)
	}
}
