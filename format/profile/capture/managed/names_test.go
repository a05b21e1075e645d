package managed

import (
	"testing"

	"stacksnap/task"
)

// TestNameThreads: names are read once, and again when there is another thread.
func TestNameThreads(t *testing.T) {
	f := &fake{frames: map[task.ThreadID][]task.ManagedFrame{7: frames("f*")}, names: map[task.ThreadID]string{7: "worker"}}
	r := of(f, func(string) {})
	if !r.Found(imagesOf()) {
		t.Fatal("no runtime")
	}
	name := func(id task.ThreadID, ids ...task.ThreadID) string {
		r.Chains(listed(ids...), true)
		threads := []task.Thread{{ID: id}}
		r.NameThreads(threads)
		return threads[0].RuntimeName
	}
	if got := name(7, 7); got != "worker" || f.named != 1 {
		t.Errorf("%q, read %d times", got, f.named)
	}
	if got := name(7, 7); got != "worker" || f.named != 1 {
		t.Errorf("%q again, read %d times", got, f.named)
	}
	f.frames[8], f.names[8] = frames("f*"), "other"
	if got := name(8, 7, 8); got != "other" || f.named != 2 || r.NameOf(7) != "worker" {
		t.Errorf("%q of another, read %d times", got, f.named)
	}
	if name(8, 8); r.NameOf(7) != "" {
		t.Error("a thread that has ended has a name")
	}
	if (*Runtimes)(nil).NameOf(7) != "" {
		t.Error("no runtimes have a name")
	}
}
