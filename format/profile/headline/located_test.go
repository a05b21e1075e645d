package headline

import (
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// leaf is an innermost frame that was found in some samples.
func leaf(function string, samples int) *profile.Node {
	n := node(function, 0)
	n.Self = samples
	return n
}

func TestLocated(t *testing.T) {
	seen := func(th *profile.Thread, roots ...*profile.Node) *profile.Thread {
		th.Roots = roots
		return th
	}
	serve := node("serve", 0, leaf("parse", 30), leaf("send", 10))
	for name, tt := range map[string]struct {
		p     *profile.Profile
		where string
		share float64
		own   string
	}{
		"one that woke as it was captured": {one(seen(thread(1, task.Sleeping, nil), leaf("parse", 1))), "parse", 1, "parse"},
		"now here, now there":              {many(seen(sampled(1, 20), serve, leaf("idle", 35), leaf("idle", 25))), "idle", 0.6, "idle"},
		"less than half":                   {many(seen(sampled(1, 20), serve, leaf("idle", 29))), "parse", 30. / 69, "parse"},
		"under a library's function": {many(seen(sampled(1, 20), node("serve", 0, &profile.Node{
			Location: profile.Location{Function: "read", Image: &profile.Image{Path: "/lib/x86_64-linux-gnu/libc.so.6"}}, Self: 9}))), "read", 1, "serve"},
		"without a name": {many(seen(sampled(1, 20), leaf("", 9))), "", 0, ""},
		"without a main": {many(seen(sampled(2, 20), serve)), "", 0, ""},
	} {
		h := Of(tt.p)
		if tt.where == "" {
			if h.Kind != None {
				t.Errorf("%s: %+v", name, h)
			}
			continue
		}
		if h.Kind != Located || h.Thread != tt.p.Threads[0] || h.CPU.Where.Function != tt.where || h.CPU.Share != tt.share {
			t.Errorf("%s: %+v", name, h)
		}
		if h.Own == nil || h.Own.Function != tt.own {
			t.Errorf("%s: own code %+v, want %s", name, h.Own, tt.own)
		}
	}
}

func TestLocatedHasCPUTime(t *testing.T) {
	p := many(busyThread(1, leaf("f", 100)), busyThread(2, node("g", 300*time.Millisecond)))
	if h := Of(p); h.Kind != Located || h.CPU.OnCPU != 300*time.Millisecond {
		t.Errorf("%+v", h)
	}
}

// TestOfGroupForChildren: a process that only waits for its children is no headline where
// another's main thread is anywhere else, unless that is idle.
func TestOfGroupForChildren(t *testing.T) {
	shell := process(1, profile.Peer{})
	shell.Threads[0].Wait = &profile.Wait{Call: "wait4"}
	child, idle := process(2, profile.Peer{}), process(3, profile.Peer{})
	child.Threads[0].Roots = []*profile.Node{leaf("read", 1)}
	idle.Threads[0].Roots = []*profile.Node{{Location: profile.Location{Function: "event_base_loop"}, Self: 1}}
	idle.Threads[0].Wait = &profile.Wait{Call: "epoll_wait"}
	for want, others := range map[*profile.Profile]*profile.Profile{child: child, shell: idle} {
		a := OfGroup(&profile.Group{Profiles: []*profile.Profile{shell, others}})
		if a.Kind != OfOne || a.Profile != want {
			t.Errorf("%+v", a)
		}
	}
}
