package headline

import (
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestAlikeForOneObject: what all of the threads wait for is known if it is the same for all.
func TestAlikeForOneObject(t *testing.T) {
	const n = 100
	for name, tt := range map[string]struct {
		first, other profile.Wait
		want         bool
	}{
		"one pipe":     {profile.Wait{Call: "read", Object: "fd 3"}, profile.Wait{Call: "read", Object: "fd 3"}, true},
		"another pipe": {profile.Wait{Call: "read", Object: "fd 3"}, profile.Wait{Call: "read", Object: "fd 4"}, false},
		"another end":  {profile.Wait{Call: "read", Object: "fd 3"}, profile.Wait{Call: "read", Object: "fd 3", Peer: profile.Peer{PID: 9}}, false},
		"another call": {profile.Wait{Call: "read", Object: "fd 3"}, profile.Wait{Call: "poll", Object: "fd 4"}, true},
		"unknown":      {profile.Wait{Call: "read"}, profile.Wait{Call: "read"}, false},
	} {
		threads := []*profile.Thread{thread(1, task.Sleeping, &profile.Wait{Call: "pause"}), thread(2, task.Sleeping, &tt.other)}
		for i := range n {
			threads = append(threads, thread(task.ThreadID(i+3), task.Sleeping, &tt.first))
		}
		if got := Of(one(threads...)); got.Kind != Alike || got.SameObject != tt.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestAlike: many threads that wait at one place are worth the first line before the main
// thread's wait, unless something is wrong or runs.
func TestAlike(t *testing.T) {
	read := &profile.Wait{Call: "read"}
	futex := &profile.Wait{Call: "futex"}
	main := thread(1, task.Sleeping, &profile.Wait{Call: "epoll_wait"})
	crowd := func(n int, w *profile.Wait, function string) (all []*profile.Thread) {
		for i := range n {
			th := thread(task.ThreadID(i+2), task.Sleeping, w)
			frame := node(function, 0)
			frame.Image = &profile.Image{Path: "/bin/prog", Main: function != ""}
			th.Roots = []*profile.Node{frame}
			all = append(all, th)
		}
		return all
	}
	for name, c := range map[string]struct {
		threads []*profile.Thread
		want    Kind
		n       int
		own     string
	}{
		"a leak":           {append(crowd(100, read, "session"), main), Alike, 100, "session"},
		"less":             {append(crowd(99, read, "session"), main), Idle, 0, ""},
		"of a library's":   {append(crowd(100, futex, ""), main), Idle, 0, ""},
		"half of all":      {append(append(crowd(100, read, "session"), crowd(99, read, "log")...), main), Idle, 0, ""},
		"more than half":   {append(append(crowd(100, read, "session"), crowd(98, read, "log")...), main), Alike, 100, "session"},
		"not most":         {append(append(crowd(100, read, "session"), crowd(100, read, "log")...), main), Idle, 0, ""},
		"beside one busy":  {append(crowd(100, read, "session"), main, thread(999, task.Running, nil)), Running, 1, ""},
		"for one lock":     {append(crowd(100, mutex(8), "session"), main), Convoy, 100, ""},
		"in no known call": {append(crowd(100, nil, "session"), main), Idle, 0, ""},
	} {
		got := Of(one(c.threads...))
		own := ""
		if got.Kind == Alike && got.Own != nil {
			own = got.Own.Function
		}
		if got.Kind != c.want || c.n > 0 && got.Threads != c.n || own != c.own {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
