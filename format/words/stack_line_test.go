package words

import (
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestStackOfWaiter: a thread of a deadlock is told by its innermost functions and the
// program's own, whatever a view shows.
func TestStackOfWaiter(t *testing.T) {
	own := &profile.Image{Path: "/bin/it", Main: true}
	libc := &profile.Image{Path: "/lib/libc.so.6"}
	frame := func(im *profile.Image, name string, below ...*profile.Node) *profile.Node {
		return &profile.Node{Location: profile.Location{Image: im, Function: name}, Count: 1, Children: below}
	}
	stack := frame(libc, "start_thread", frame(own, "pay", frame(libc, "lock", frame(libc, "futex_wait"))))
	stack.Children[0].Children[0].Children[0].Self = 1
	p := &profile.Profile{Snapshots: 1, Threads: []*profile.Thread{
		{ID: 2, Samples: 1, Roots: []*profile.Node{stack}}, {ID: 3, Samples: 1},
		{ID: 4, Samples: 1, Roots: []*profile.Node{{Location: profile.Location{Image: libc, Function: "poll"}, Count: 1, Self: 1}}},
	}}
	for id, want := range map[task.ThreadID][2]string{2: {"futex_wait ← lock ← pay", "pay"}, 3: {}, 4: {"poll", "poll"}, 5: {}} {
		for _, p := range []*profile.Profile{p, p.Invert()} {
			if stack, in := NewWords(p).Stack(&profile.Waiter{ID: id}); stack != want[0] || in != want[1] {
				t.Errorf("thread %d: %q, in %q", id, stack, in)
			}
		}
	}
}
