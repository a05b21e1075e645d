package profile

import (
	"testing"
	"time"

	"stacksnap/task"
)

const ms = time.Millisecond

// spends makes the profile of a thread that is sampled in a function, in a state,
// at a time, when it had been scheduled so.
type spends struct {
	at       time.Duration
	pc       task.Addr
	state    task.State
	schedule task.Schedule
}

func profileOf(samples ...spends) *Profile {
	b := NewBuilder(task.Info{OS: task.Linux, PID: 1}, "test")
	m := mapOf(demo, "/demo", load)
	for _, s := range samples {
		t := task.Thread{ID: 1, State: s.state, Schedule: s.schedule}
		stack := Stack{}
		if s.pc != 0 {
			stack = walk(0x10, s.pc)
		}
		b.Add(&task.Snapshot{Time: time.Unix(1000, 0).Add(s.at), Threads: []task.Thread{t}}, []Stack{stack}, m)
	}
	return b.Profile()
}

// The functions of the demo.
const (
	inWork = 0x110
	inLeaf = 0x210
)

// TestSpent splits what passed between samples, and gives it to the function of
// the sample that it goes with.
func TestSpent(t *testing.T) {
	sched := func(ran, queued, stood time.Duration) task.Schedule {
		return task.Schedule{Ran: time.Second + ran*ms, Queued: queued * ms, Stopped: stood * ms}
	}
	for name, c := range map[string]struct {
		samples           []spends
		whole, work, leaf Spent
	}{
		"one sample":  {samples: []spends{{0, inWork, task.Running, sched(0, 0, 0)}}},
		"not counted": {samples: []spends{{0, inWork, task.Running, task.Schedule{}}, {10 * ms, inWork, task.Running, task.Schedule{}}}},
		"by the function": {
			samples: []spends{{0, inWork, task.Running, sched(0, 0, 0)}, {10 * ms, inWork, task.Running, sched(6, 4, 0)}, {20 * ms, inLeaf, task.Running, sched(15, 4, 1)}},
			whole:   Spent{15 * ms, 4 * ms, 0}, work: Spent{6 * ms, 4 * ms, 0}, leaf: Spent{9 * ms, 0, 0},
		},
		"blocked": {
			samples: []spends{{0, inWork, task.Running, sched(0, 0, 0)}, {10 * ms, inLeaf, task.Sleeping, sched(3, 1, 1)}, {20 * ms, inLeaf, task.Sleeping, sched(3, 1, 1)}, {30 * ms, inWork, task.Running, sched(7, 2, 2)}},
			// what was used before a sample in which it slept goes with the next that ran
			whole: Spent{7 * ms, 2 * ms, 15 * ms}, work: Spent{7 * ms, 2 * ms, 0}, leaf: Spent{0, 0, 15 * ms},
		},
		"counters that are behind": {
			samples: []spends{{0, inLeaf, task.Sleeping, sched(0, 0, 0)}, {10 * ms, inLeaf, task.Sleeping, sched(12, 0, 0)}, {20 * ms, inLeaf, task.Sleeping, sched(12, 0, 0)}},
			whole:   Spent{12 * ms, 0, 8 * ms}, leaf: Spent{0, 0, 8 * ms},
		},
		"behind in one function": {
			samples: []spends{{0, inLeaf, task.Sleeping, sched(0, 0, 0)}, {10 * ms, inLeaf, task.Sleeping, sched(12, 0, 0)}, {20 * ms, inWork, task.Sleeping, sched(12, 0, 0)}},
			whole:   Spent{12 * ms, 0, 8 * ms}, work: Spent{0, 0, 8 * ms},
		},
		"no stack": {
			samples: []spends{{0, inWork, task.Running, sched(0, 0, 0)}, {10 * ms, 0, task.Running, sched(6, 4, 0)}, {20 * ms, inLeaf, task.Running, sched(7, 4, 0)}, {30 * ms, 0, task.Sleeping, sched(7, 4, 0)}},
			whole:   Spent{7 * ms, 4 * ms, 19 * ms}, leaf: Spent{7 * ms, 4 * ms, 0},
		},
		"a wait that went back": {
			samples: []spends{{0, inWork, task.Running, sched(0, 10, 0)}, {10 * ms, inWork, task.Running, sched(5, 0, 0)}},
		},
		"never negative": {
			samples: []spends{{0, inWork, task.Running, sched(0, 0, 0)}, {10 * ms, inWork, task.Running, sched(11, 1, 1)}},
			whole:   Spent{11 * ms, 1 * ms, 0}, work: Spent{11 * ms, 1 * ms, 0},
		},
		"counters that went back": {
			samples: []spends{{0, inWork, task.Running, sched(10, 10, 0)}, {10 * ms, inWork, task.Running, sched(0, 20, 0)}, {20 * ms, inWork, task.Running, sched(5, 25, 0)}},
			whole:   Spent{5 * ms, 5 * ms, 0}, work: Spent{5 * ms, 5 * ms, 0},
		},
		"a clock that went back": {
			samples: []spends{{0, inWork, task.Running, sched(0, 0, 0)}, {-10 * ms, inWork, task.Running, sched(5, 0, 0)}, {0, inWork, task.Running, sched(15, 0, 0)}},
			whole:   Spent{10 * ms, 0, 0}, work: Spent{10 * ms, 0, 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := profileOf(c.samples...)
			check(t, "the thread's", p.Threads[0].Spent, c.whole)
			got := map[string]Spent{}
			times, _ := p.ByFunction().SelfTimes()
			for _, s := range times {
				got[s.Function] = s.Spent
			}
			check(t, "work's", got["work"], c.work)
			check(t, "leaf's", got["leaf"], c.leaf)
		})
	}
}

// TestSpentOfAlikeThreads is that of all together, and leaves the profile as it was.
func TestSpentOfAlikeThreads(t *testing.T) {
	b := NewBuilder(task.Info{OS: task.Linux, PID: 1}, "test")
	m := mapOf(demo, "/demo", load)
	for n := range time.Duration(2) {
		s := task.Snapshot{Time: time.Unix(1000, 0).Add(10 * n * ms)}
		var stacks []Stack
		for id := range task.ThreadID(3) {
			d := time.Duration(id)
			s.Threads = append(s.Threads, task.Thread{ID: 11 + id, State: task.Running, Schedule: task.Schedule{Ran: time.Second + n*d*ms, Queued: n * (10 - d) * ms}})
			stacks = append(stacks, walk(0x10, inWork))
		}
		b.Add(&s, stacks, m)
	}
	p := b.Profile()
	folded := p.FoldThreads()
	check(t, "entries", len(folded.Threads), 1)
	all := Spent{3 * ms, 27 * ms, 0}
	check(t, "together", folded.Threads[0].Spent, all)
	times, _ := folded.ByFunction().SelfTimes()
	check(t, "self times", times[0].Spent, all)
	own, _ := p.ByFunction().SelfTimes()
	check(t, "self times of all", own[0].Spent, all)
	check(t, "of one", p.Threads[0].Spent, Spent{0, 10 * ms, 0})
	check(t, "in one's tree", p.Threads[0].Roots[0].Children[0].Spent, Spent{0, 10 * ms, 0})
}

// TestTurnsOfAlikeThreads: those that were on a processor are not alike with those
// that waited for one.
func TestTurnsOfAlikeThreads(t *testing.T) {
	b := NewBuilder(task.Info{OS: task.Linux, PID: 1}, "test")
	s := snapshot(
		task.Thread{ID: 11, State: task.Running, OnCPUState: task.OnCPU, Processor: 1},
		task.Thread{ID: 12, State: task.Running, OnCPUState: task.OnCPU, Processor: 2},
		task.Thread{ID: 13, State: task.Running, OnCPUState: task.Queued},
	)
	b.Add(s, []Stack{walk(inWork), walk(inWork), walk(inWork)}, mapOf(demo, "/demo", load))
	p := b.Profile()
	check(t, "processor", p.Threads[1].Processor, 2)
	folded := p.FoldThreads()
	check(t, "entries", len(folded.Threads), 2)
	check(t, "several", folded.Threads[0].Processor, -1)
	check(t, "the other", folded.Threads[1].OnCPUState, task.Queued)
}
