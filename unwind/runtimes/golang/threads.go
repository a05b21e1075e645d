package golang

import (
	"errors"
	"fmt"

	"stacksnap/task"
	"stacksnap/unwind/runtimes"
)

// maxThreads is the most threads of the runtime that are read: Go itself has 10,000 at most by default.
const maxThreads = 1 << 14

var errThreads = errors.New("too many threads")

// runtimeThread is a thread as the runtime has it (runtime.m).
type runtimeThread struct {
	at     task.Addr
	number uint64 // the system's on Linux, the value of pthread_self on Darwin
}

// Chains implements [runtimes.Instance]. What is copied of a thread is the runtime's record of it and
// the goroutine that it runs, if there is one.
func (r *Runtime) Chains(m task.Memory, byHandle func(task.Addr) (task.ThreadID, bool)) (map[task.ThreadID]task.Chain, error) {
	found := map[task.ThreadID]runtimeThread{}
	err := r.eachThread(m, func(t runtimeThread) {
		id, ok := r.threadOf(t.number, byHandle)
		if !ok {
			return
		}
		if other, twice := found[id]; !twice || !r.runs(m, other.at) { // one of them is kept for threads of C
			found[id] = t
		}
	})
	l, chains := r.layout, make(map[task.ThreadID]task.Chain, len(found))
	for id, t := range found {
		chains[id] = task.Chain{
			At: t.at + task.Addr(l.thread), Size: l.threadBytes(),
			Links: []task.Link{{Offset: l.current - l.thread, Size: l.goroutineBytes()}, {Offset: -1}},
		}
	}
	r.threads = found
	if err != nil {
		err = fmt.Errorf("%s: the threads are not readable: %w", r.Name(), err)
	}
	return chains, err
}

// threadOf returns the thread with a number.
func (r *Runtime) threadOf(number uint64, byHandle func(task.Addr) (task.ThreadID, bool)) (task.ThreadID, bool) {
	if number == 0 {
		return 0, false
	}
	if !r.darwin {
		return task.ThreadID(number), true
	}
	return byHandle(task.Addr(number))
}

// eachThread calls yield with each thread that the runtime has, which may change the list meanwhile.
func (r *Runtime) eachThread(m task.Memory, yield func(runtimeThread)) error {
	if r.allm == 0 {
		return nil // not known
	}
	at, err := task.ReadPointer(m, r.allm, 8)
	b := make(words, r.layout.nextM+8-r.layout.thread)
	for n := 0; at != 0 && err == nil; n++ {
		if n == maxThreads {
			return errThreads
		}
		if err = task.ReadFull(m, b, at+task.Addr(r.layout.thread)); err == nil {
			yield(runtimeThread{at, b.word(0)})
			at = b.addr(r.layout.nextM - r.layout.thread)
		}
	}
	return err
}

// runs reports whether a thread runs a goroutine now.
func (r *Runtime) runs(m task.Memory, at task.Addr) bool {
	g, err := task.ReadPointer(m, at+task.Addr(r.layout.current), 8)
	if err != nil || g == 0 {
		return false
	}
	b := make(words, r.layout.goroutineBytes())
	return task.ReadFull(m, b, g) == nil && r.layout.isRun(b, at)
}

// threadBytes is how much is copied of a thread.
func (l *layout) threadBytes() int { return l.current + 8 - l.thread }

// goroutineBytes is how much is copied of the goroutine that a thread runs.
func (l *layout) goroutineBytes() int { return l.labels + 8 }

// isRun reports whether a goroutine is run by the thread of the runtime at an address.
func (l *layout) isRun(g words, by task.Addr) bool {
	s := status(g.u32(l.status) &^ scanned)
	return g.addr(l.m) == by && (s.isThread() || s == isCopied) // its own thread moves its stack
}

// Goroutine implements [runtimes.Scheduler].
func (r *Runtime) Goroutine(id task.ThreadID, chain []task.Object, m task.Memory) (g task.Goroutine, ok bool) {
	l := r.layout
	if len(chain) != 2 || len(chain[0].Bytes) < l.threadBytes() || len(chain[1].Bytes) < l.goroutineBytes() {
		return g, false
	}
	own, copied := words(chain[0].Bytes), words(chain[1].Bytes)
	at := chain[0].At - task.Addr(l.thread)
	if t := r.threads[id]; t.at != at || t.number != own.word(0) || !l.isRun(copied, at) {
		return g, false // since then it has become the record of another thread
	}
	g.ID = copied.word(l.id)
	g.Labels = r.labels(m, chain[1].At, copied)
	return g, g.ID != 0
}

// Frames implements [runtimes.Instance]: those of Go are native.
func (r *Runtime) Frames(dst []task.ManagedFrame, _ task.ThreadID, _ []task.Object, _ task.Memory) ([]task.ManagedFrame, error) {
	return dst, nil
}

// ThreadNames implements [runtimes.Instance]: Go has none.
func (r *Runtime) ThreadNames(task.Memory) map[task.ThreadID]string { return nil }

// Locks implements [runtimes.Instance].
func (r *Runtime) Locks(task.Memory, func(task.Addr) (task.ThreadID, bool)) []runtimes.Lock {
	return nil
}

// IsLoop implements [runtimes.Instance]: it reports whether a goroutine begins with a function, or comes
// from C by it.
func (r *Runtime) IsLoop(symbol string) bool {
	switch symbol {
	case "runtime.goexit", "runtime.goexit.abi0", "runtime.cgocallback", "runtime.cgocallback.abi0":
		return true
	}
	return false
}
