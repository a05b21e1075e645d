package capture

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// withChains adds to a watch what to copy for the language runtimes of the process. fresh makes
// it look for them again.
func (t *target) withChains(w task.Watch, fresh bool) task.Watch {
	if !t.runtimes.Found(t.code.in) {
		return w
	}
	w.Chains = t.runtimes.Chains(t.process.Threads, fresh)
	return w
}

// watch returns what to probe in the next snapshot of a sampling.
func (t *target) watch() task.Watch { return t.withChains(t.tracker.watch(), false) }

// watchAll returns what to probe in the stop of a single snapshot.
func (t *target) watchAll() task.Watch { return t.withChains(t.tracker.watchAll(), true) }

// join inserts the managed frames of a snapshot into the stacks that were walked.
func (t *target) join(s *task.Snapshot) {
	if !t.runtimes.Any() {
		return
	}
	t.runtimes.NameThreads(s.Threads)
	t.joined = slices.Grow(t.joined[:0], len(t.frames))
	for i := range t.stacks {
		t.runtimes.SetGoroutine(&s.Threads[i], t.stacks[i].Frames)
		t.joinStack(&s.Threads[i], &t.stacks[i])
	}
}

func (t *target) joinStack(th *task.Thread, st *profile.Stack) {
	if st.Repeat {
		th.Managed = t.runtimes.Kept(th.ID)
		return
	}
	first := len(t.joined)
	var ok bool
	if t.joined, ok = t.runtimes.Join(t.joined, th, st.Frames, st.Stop); ok {
		st.Native, st.Frames = st.Frames, t.joined[first:len(t.joined):len(t.joined)]
		st.Stop = stopOf(th, st.Stop)
		if th.Later {
			t.later++
		}
	}
}

// stopOf returns why the stack of a thread with managed frames ends: without native ones it is whole.
func stopOf(t *task.Thread, native unwind.Stop) unwind.Stop {
	if t.Later && t.Registers.Known == 0 {
		return unwind.Stop{Reason: unwind.Bottom}
	}
	return native
}
