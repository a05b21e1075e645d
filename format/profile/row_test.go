package profile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
)

// TestChangedThreadsAlone gives the same profile as all threads do, of which most
// repeat their stacks.
func TestChangedThreadsAlone(t *testing.T) {
	for seed := range uint64(30) {
		threads := 5
		if seed == 0 {
			threads = maxThreads + 100 // the last ones share entries
		}
		r := rand.New(rand.NewPCG(seed, 10))
		all, changes := NewBuilder(task.Info{}, "test"), NewBuilder(task.Info{}, "test")
		m := images.NewMap(nil)
		s := task.Snapshot{Time: time.Unix(1e9, 0)}
		for i := range threads {
			s.Threads = append(s.Threads, task.Thread{ID: task.ThreadID(i + 1), Name: fmt.Sprint("t", i%3), State: task.Sleeping})
		}
		for range 20 {
			s.Time = s.Time.Add(time.Millisecond)
			changed := spoil(r, &s)
			stack := func(i int) Stack {
				if !slices.Contains(changed, i) {
					return Stack{Repeat: true}
				}
				return stackOf(&s.Threads[i])
			}
			all.AddEach(&s, m, stack)
			if len(changed) == len(s.Threads) {
				changes.AddEach(&s, m, stack)
			} else {
				changes.AddChanged(&s, m, changed, stack)
			}
			looks := []Look{{Thread: 1, Wait: &Wait{Call: "f", Lock: Mutex, Addr: 8, Owner: 2}}, {Thread: 2, Wait: &Wait{Call: "f", Lock: Mutex, Addr: 16, Owner: 1}}}
			if r.IntN(3) == 0 {
				all.Look(looks, true)
				changes.Look(looks, true)
			}
			if r.IntN(5) == 0 || threads < 10 && r.IntN(2) == 0 {
				wantSameProfile(t, all.Profile(), changes.Profile())
			}
		}
		wantSameProfile(t, all.Profile(), changes.Profile())
	}
}

func wantSameProfile(t *testing.T, want, got *Profile) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Node{}, Profile{}, Thread{})); d != "" {
		t.Fatal(d)
	}
}

// spoil changes some threads, or which there are, and tells which are new.
func spoil(r *rand.Rand, s *task.Snapshot) (changed []int) {
	if s.Missed++; s.Missed == 1 || r.IntN(8) == 0 {
		if n := len(s.Threads); s.Missed > 1 && n > 1 {
			s.Threads = slices.Delete(slices.Clone(s.Threads), n-1, n)
		}
		for i := range s.Threads {
			changed = append(changed, i)
		}
		return changed
	}
	for range r.IntN(5) {
		i := len(s.Threads) - 1 - r.IntN(min(len(s.Threads), 6)) // of a crowd those that share entries
		if slices.Contains(changed, i) {
			continue
		}
		changed = append(changed, i)
		t := &s.Threads[i]
		t.State, t.User = task.State(r.IntN(4)), time.Duration(r.IntN(3))
		t.Unstopped, t.Err = r.IntN(2) == 0, nil
		t.Schedule.Ran += time.Duration(r.IntN(2) * 400_000)
		t.Schedule.Queued += time.Duration(r.IntN(2) * 400_000)
		if t.Registers.R[0] = uint64(r.IntN(5)); r.IntN(4) > 0 {
			t.Err = fmt.Errorf("error %d", r.IntN(9))
		}
	}
	slices.Sort(changed)
	return changed
}

// stackOf is as deep as the first register says.
func stackOf(t *task.Thread) Stack {
	s := Stack{Stop: unwind.Stop{Reason: unwind.Reason(t.Registers.R[0] % 3)}}
	for i := range t.Registers.R[0] {
		s.Frames = append(s.Frames, unwind.Frame{PC: task.Addr(0x1000 + 16*i)})
	}
	return s
}

// TestErrorsOfACrowd are told as the last of its threads has it, whichever of them
// has changed.
func TestErrorsOfACrowd(t *testing.T) {
	b := NewBuilder(task.Info{}, "test")
	b.order = make([]*record, maxThreads)
	failed := func(id task.ThreadID, why string) task.Thread {
		return task.Thread{ID: id, Name: "t", Err: errors.New(why)}
	}
	s := task.Snapshot{Threads: []task.Thread{failed(1, "one"), failed(2, "two")}}
	none := func(int) Stack { return Stack{} }
	b.AddEach(&s, nil, none)
	s.Threads[0] = failed(1, "three")
	b.AddChanged(&s, nil, []int{0}, none)
	b.finishRow()
	if shared := b.order[maxThreads]; shared.Err != "two" || shared.Samples != 4 {
		t.Errorf("%d samples with the error %q", shared.Samples, shared.Err)
	}
}

// TestStatesOfACrowd are counted as its samples are.
func TestStatesOfACrowd(t *testing.T) {
	b := NewBuilder(task.Info{}, "test")
	b.order = make([]*record, maxThreads)
	s := task.Snapshot{Threads: []task.Thread{{ID: 1, Name: "t", State: task.Running}, {ID: 2, Name: "t", State: task.Sleeping}}}
	none := func(int) Stack { return Stack{} }
	b.AddEach(&s, nil, none)
	s.Threads[0].State = task.Sleeping
	b.AddChanged(&s, nil, []int{0}, none)
	b.finishRow()
	if shared, want := b.order[maxThreads], (States{task.Running: 1, task.Sleeping: 3}); shared.States != want {
		t.Errorf("%d samples in states %v, want %v", shared.Samples, shared.States, want)
	}
}

// TestHalted counts the snapshots in which nothing of the target could go on.
func TestHalted(t *testing.T) {
	b := NewBuilder(task.Info{}, "test")
	of := func(states ...task.State) *task.Snapshot {
		s := &task.Snapshot{}
		for i, state := range states {
			s.Threads = append(s.Threads, task.Thread{ID: task.ThreadID(i + 1), State: state})
		}
		return s
	}
	add := func(want int, states ...task.State) {
		t.Helper()
		b.Add(of(states...), nil, nil)
		check(t, "halted", b.Profile().Halted, want)
	}
	add(0)
	add(0, task.StateUnknown)
	add(0, task.Ended)
	add(0, task.Stopped, task.Sleeping)
	add(0, task.Sleeping, task.Stopped)
	add(1, task.Stopped)
	add(2, task.Ended, task.Stopped, task.Stopped)
	b.AddChanged(of(task.Ended, task.Stopped, task.Stopped), nil, nil, nil)
	check(t, "unchanged", b.Profile().Halted, 3)
	b.AddChanged(of(task.Ended, task.Stopped, task.Running), nil, []int{2}, func(int) Stack { return Stack{} })
	check(t, "one goes on", b.Profile().Halted, 3)
	check(t, "snapshots", b.Profile().Snapshots, 9)
}
