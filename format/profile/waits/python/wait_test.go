package python

import (
	"strings"
	"testing"

	"stacksnap/format/profile"
)

// stackOf is a stack, the outermost frame first, in which functions with a file are Python's.
func stackOf(frames string) (stack []*profile.Node) {
	python := &profile.Image{Path: "CPython 3.12.1", Runtime: true}
	library := &profile.Image{Path: "/usr/lib/libpython3.12.so.1.0"}
	for _, f := range strings.Fields(frames) {
		n := &profile.Node{Location: profile.Location{Function: f, Image: library}}
		if file, function, ok := strings.Cut(f, ":"); ok {
			n.Location = profile.Location{Function: function, File: file, Image: python}
			if file != "app.py" {
				n.File = "/usr/lib/python3.12/" + file
			}
		}
		stack = append(stack, n)
	}
	return stack
}

func TestWait(t *testing.T) {
	futex := &profile.Wait{Call: "futex", Object: "semaphore 0x10"}
	for frames, want := range map[string]string{
		"app.py:work lock_PyThread_acquire_lock acquire_timed PyThread_acquire_lock_timed futex":                              "for a threading.Lock",
		"app.py:work rlock_acquire acquire_timed PyThread_acquire_lock_timed":                                                 "for a threading.RLock",
		"app.py:work PyThread_acquire_lock_timed":                                                                             "for a Python lock",
		"app.py:work lock_PyThread_acquire_lock acquire_timed PyEval_RestoreThread take_gil":                                  "", // it has the lock
		"app.py:work PyThread_acquire_lock_timed app.py:handler time_sleep":                                                   "", // a signal's handler
		"app.py:work _PySemaphore_Wait":                                                                                       "",
		"work lock_PyThread_acquire_lock":                                                                                     "", // no Python at all
		"app.py:work threading.py:Event.wait threading.py:Condition.wait _PySemaphore_Wait":                                   "in Event.wait",
		"app.py:work threading.py:wait threading.py:wait lock_PyThread_acquire_lock":                                          "in Event.wait", // up to 3.10
		"app.py:work threading.py:wait lock_PyThread_acquire_lock":                                                            "in Condition.wait",
		"app.py:work threading.py:wait threading.py:_wait threading.py:wait_for threading.py:wait lock_PyThread_acquire_lock": "in Barrier.wait",
		"app.py:work queue.py:Queue.get threading.py:Condition.__enter__ lock_PyThread_acquire_lock":                          "for the lock of a Condition",
		"app.py:work queue.py:get threading.py:wait lock_PyThread_acquire_lock":                                               "in Queue.get",
		"app.py:Queue.get threading.py:Condition.wait lock_PyThread_acquire_lock":                                             "in Condition.wait",
		"app.py:work threading.py:Thread.join ThreadHandle_join":                                                              "for a thread to end (Thread.join)",
		"app.py:work concurrent/futures/thread.py:ThreadPoolExecutor.shutdown threading.py:Thread.join ThreadHandle_join":     "in ThreadPoolExecutor.shutdown",
		"app.py:work threading.py:Condition.notify lock_PyThread_acquire_lock":                                                "for a threading.Lock",
	} {
		if got := waitIn(futex, stackOf(frames)); got != want {
			t.Errorf("%s: %q, want %q", frames, got, want)
		}
	}
}

// TestWaitInCalls: what is said depends on the call, too.
func TestWaitInCalls(t *testing.T) {
	const recv = "app.py:work multiprocessing/connection.py:_ConnectionBase.recv multiprocessing/connection.py:Connection._recv_bytes multiprocessing/connection.py:Connection._recv read"
	const child = "app.py:work subprocess.py:Popen.wait subprocess.py:Popen._wait subprocess.py:Popen._try_wait wait4"
	const lock = "app.py:work lock_PyThread_acquire_lock"
	for _, c := range []struct {
		frames string
		wait   profile.Wait
		want   string
	}{
		{recv, profile.Wait{Call: "read"}, "in Connection.recv"},
		{recv, profile.Wait{Call: "read", Peer: profile.Peer{PID: 7}}, ""}, // which says more
		{child, profile.Wait{Call: "wait4"}, "in Popen.wait"},
		{child, profile.Wait{Call: "read"}, ""},
		{lock, profile.Wait{Call: profile.PageFault}, ""},
		{lock, profile.Wait{Call: "futex", Lock: profile.Mutex}, ""},
	} {
		if got := waitIn(&c.wait, stackOf(c.frames)); got != c.want {
			t.Errorf("%s in %+v: %q, want %q", c.frames, c.wait, got, c.want)
		}
	}
}

// TestWaitOfSeveral: what is said of a thread, or of several that are shown together, is true of
// all their stacks, but for the moments in which a thread was awake.
func TestWaitOfSeveral(t *testing.T) {
	w := &profile.Wait{Call: "futex"}
	const get, lock = "app.py:work queue.py:Queue.get threading.py:Condition.wait lock_PyThread_acquire_lock", "app.py:work lock_PyThread_acquire_lock"
	for _, c := range []struct {
		get, lock int
		together  *profile.Together
		want      string
	}{
		{100, 0, nil, "in Queue.get"},
		{98, 2, nil, "in Queue.get"},
		{97, 3, nil, ""},
		{100, 0, &profile.Together{}, "in Queue.get"},
		{99, 1, &profile.Together{}, ""},
	} {
		th := &profile.Thread{Samples: c.get + c.lock, Together: c.together, Roots: []*profile.Node{tree(get, c.get), tree(lock, c.lock)}}
		if got := Wait(th, w); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// tree is a stack of some samples.
func tree(frames string, n int) *profile.Node {
	stack := stackOf(frames)
	for i, node := range stack {
		node.Count = n
		if i > 0 {
			stack[i-1].Children = []*profile.Node{node}
		}
	}
	stack[len(stack)-1].Self = n
	return stack[0]
}
