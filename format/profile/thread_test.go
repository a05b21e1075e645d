package profile

import (
	"testing"

	"stacksnap/task"
)

// TestShownName: people see the name of the runtime where that of the system says no more.
func TestShownName(t *testing.T) {
	for _, tt := range []struct{ system, runtime, process, want string }{
		{"python3", "worker-3", "python3", "worker-3"},
		{"", "worker-3", "python3", "worker-3"},
		{"python3", "", "python3", "python3"},
		{"python3", "MainThread", "python3", "python3"},
		{"a long name of a", "a long name of a worker", "python3", "a long name of a worker"},
		{"naïve names ar\xc3", "naïve names aré cut", "python3", "naïve names aré cut"},
		{"naïve names ar\ufffd", "naïve names aré cut", "python3", "naïve names aré cut"},
		{"grpc-poller", "Thread-1", "python3", "grpc-poller"},
		{"gunicorn: worke", "Thread-1", "gunicorn: worker [shop]", "Thread-1"},
		{"gunicorn", "Thread-1", "gunicorn: worker [shop]", "gunicorn"},
	} {
		if got := (ThreadName{Name: tt.system, RuntimeName: tt.runtime}).Shown(tt.process); got != tt.want {
			t.Errorf("%q, %q of %q: %q, want %q", tt.system, tt.runtime, tt.process, got, tt.want)
		}
	}
}

// TestFilterByRuntimeName: a thread is found by either name.
func TestFilterByRuntimeName(t *testing.T) {
	w := ThreadFilter{Names: []string{"worker-*"}}
	for name, want := range map[string]bool{"worker-3": true, "loop": false} {
		if w.By(0)(&task.Thread{Name: "python3", RuntimeName: name}) != want {
			t.Errorf("%s is not selected as it is to be", name)
		}
	}
	if p, err := w.Of(&Profile{Threads: []*Thread{{RuntimeName: "worker-3"}, {Name: "worker-4"}, {}}}); err != nil || len(p.Threads) != 2 {
		t.Errorf("%d threads, %v", len(p.Threads), err)
	}
}

// TestGoroutineOfAThread: it is known if the thread ran it in all samples.
func TestGoroutineOfAThread(t *testing.T) {
	one := task.Goroutine{ID: 7, Labels: []string{"a", "b"}}
	for _, tt := range []struct {
		ran  []task.Goroutine
		want task.Goroutine
	}{
		{[]task.Goroutine{one}, one},
		{[]task.Goroutine{one, one}, one},
		{[]task.Goroutine{one, {ID: 7}}, task.Goroutine{ID: 7}},
		{[]task.Goroutine{one, {ID: 8}, one}, task.Goroutine{}},
		{[]task.Goroutine{{}, one}, task.Goroutine{}},
		{[]task.Goroutine{one, {}, one}, task.Goroutine{}},
	} {
		b := NewBuilder(task.Info{}, "")
		for i := range tt.ran {
			s := walk(0x10)
			b.Add(&task.Snapshot{Threads: []task.Thread{{ID: 1, Goroutine: tt.ran[i]}}}, []Stack{s}, mapOf(demo, "demo", load))
		}
		if got := &b.Profile().Threads[0].Goroutine; !got.Equal(&tt.want) {
			t.Errorf("%+v: %+v, want %+v", tt.ran, got, tt.want)
		}
	}
}
