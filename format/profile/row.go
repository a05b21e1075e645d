package profile

import (
	"time"

	"stacksnap/images"
	"stacksnap/task"
)

// row is the threads of the last snapshot. While consecutive snapshots have the same
// threads, most of these do nothing, and their samples are counted only at the end.
type row struct {
	records []*record // in the snapshot's order
	full    int       // index of the first snapshot with these threads
	behind  bool      // some threads' samples are not counted yet
	at      time.Time // time of the last snapshot
}

// told is a thread's state in the last snapshot that was counted for it.
type told struct {
	state     task.State
	schedule  task.Schedule
	unstopped bool
	failed    bool
}

// AddChanged adds a snapshot with the same threads as the previous one, in the same order.
// changed lists the indexes of those that have changed; stack is called only for these. All
// others have not run. The snapshot must not be earlier than the previous one.
func (b *Builder) AddChanged(s *task.Snapshot, m *images.Map, changed []int, stack func(i int) Stack) {
	b.begin(s, m)
	b.row.behind = true
	for _, i := range changed {
		b.catchUp(b.row.records[i])
		b.row.records[i] = b.addThread(s, i, stack(i))
	}
	b.row.at = s.Time
	b.countHalted()
	b.p.Snapshots++
}

// countHalted counts the last snapshot if all its live threads were stopped.
func (b *Builder) countHalted() {
	stopped := false
	for _, r := range b.row.records {
		switch r.told.state {
		case task.Stopped:
			stopped = true
		case task.Ended: // the main thread, while others live
		default:
			return
		}
	}
	if stopped {
		b.p.Halted++
	}
}

// finishRow counts the outstanding samples of all threads.
func (b *Builder) finishRow() {
	if !b.row.behind {
		return
	}
	for _, r := range b.row.records {
		b.catchUp(r)
	}
	b.row.behind = false
}

// catchUp counts the outstanding samples of a thread.
func (b *Builder) catchUp(r *record) {
	n := b.p.Snapshots - 1 - r.Last
	r.Last += n
	r.again(n, r.told)
	if shared := r.into; shared != nil {
		shared.Last, shared.State = max(shared.Last, r.Last), r.State
		shared.again(n, r.told)
		if r.told.failed {
			shared.Err = r.Err
		}
	}
	if n > 0 {
		r.repeat(n)
		b.countWalks(r, n)
		r.spend(r.told.schedule, r.told.state, b.row.at)
		b.keepMoments(r, b.p.Snapshots-1, n)
	}
}

// again counts n further samples with the same facts.
func (r *record) again(n int, t told) {
	r.Samples += n
	r.States.add(t.state, n)
	if t.unstopped {
		r.Unstopped += n
	}
}
