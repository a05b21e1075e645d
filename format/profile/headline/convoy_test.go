package headline

import (
	"path"
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

var pythonImage = &profile.Image{Path: "CPython 3.11.7", Runtime: true, Symbols: true}

// pythonWaiter is a thread of Python whose functions, the outermost first, wait for the word at
// object.
func pythonWaiter(id task.ThreadID, object string, files ...string) *profile.Thread {
	t := thread(id, task.Sleeping, &profile.Wait{Call: "futex", Object: object})
	at := &t.Roots
	add := func(l profile.Location) {
		n := &profile.Node{Location: l, Count: 1}
		*at, at = []*profile.Node{n}, &n.Children
		if l.Function == "lock_PyThread_acquire_lock" {
			n.Self = 1
		}
	}
	for _, file := range files {
		function := strings.TrimSuffix(path.Base(file), ".py")
		if strings.HasPrefix(file, "/usr/lib/") {
			function = "wait"
		}
		add(profile.Location{Function: function, File: file, Line: 10, Image: pythonImage})
	}
	add(profile.Location{Function: "lock_PyThread_acquire_lock", Image: &profile.Image{Path: "/usr/lib/libpython3.11.so"}})
	return t
}

// TestPythonConvoy: threads that wait for one lock of Python's come before an idle main thread,
// threads that wait for something else of its library do not.
func TestPythonConvoy(t *testing.T) {
	const library = "/usr/lib/python3.11/threading.py"
	idle := thread(1, task.Sleeping, &profile.Wait{Call: "epoll_wait", Object: "fd 3"})
	view := func(id task.ThreadID, object string) *profile.Thread { return pythonWaiter(id, object, "/app/view.py") }
	for name, c := range map[string]struct {
		threads []*profile.Thread
		want    Kind
	}{
		"one lock":       {[]*profile.Thread{idle, view(2, "semaphore 0x10"), view(3, "semaphore 0x10"), view(4, "semaphore 0x10")}, Convoy},
		"several locks":  {[]*profile.Thread{idle, view(2, "semaphore 0x10"), view(3, "semaphore 0x20"), view(4, "semaphore 0x30")}, Idle},
		"unknown object": {[]*profile.Thread{idle, view(2, ""), view(3, ""), view(4, "")}, Idle},
		"a condition": {[]*profile.Thread{idle, pythonWaiter(2, "semaphore 0x10", "/app/view.py", library), pythonWaiter(3, "semaphore 0x10", "/app/view.py", library),
			pythonWaiter(4, "semaphore 0x10", "/app/view.py", library)}, Idle},
	} {
		got := Of(one(c.threads...))
		if got.Kind != c.want {
			t.Errorf("%s: %+v, want %d", name, got, c.want)
		}
		if c.want == Convoy && (got.Threads != 3 || got.Thread == nil || got.Thread.Wait != got.Wait || got.Own == nil || got.Own.File != "/app/view.py") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestPythonConvoyHasLasted: how long it has lasted is that of its own threads, whatever others do.
func TestPythonConvoyHasLasted(t *testing.T) {
	threads := []*profile.Thread{thread(1, task.Sleeping, &profile.Wait{Call: "epoll_wait", Object: "fd 3"})}
	for id := task.ThreadID(2); id <= 4; id++ {
		waiter := pythonWaiter(id, "semaphore 0x10", "/app/view.py")
		waiter.NotRun = time.Duration(id) * time.Minute
		threads = append(threads, waiter)
	}
	if got := Of(one(threads...)); got.Kind != Convoy || got.NotRun != 2*time.Minute {
		t.Errorf("%+v", got)
	}
}
