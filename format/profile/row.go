package profile

import (
	"time"

	"stacksnap/images"
	"stacksnap/task"
)

// row is the threads of the last snapshot. Of many snapshots with the same threads
// most threads do nothing: they are counted once the row ends.
type row struct {
	records []*record // in the snapshot's order
	full    int       // the snapshot from which on these are the threads, counted from 0
	behind  bool      // some were not counted in the last snapshots
	at      time.Time // of the last snapshot
}

// told is what the last snapshot that counted a thread told of it.
type told struct {
	state     task.State
	schedule  task.Schedule
	unstopped bool
	failed    bool
}

// AddChanged adds one snapshot that has the threads of the one before, in the same
// order, of which nothing is new but of those that changed lists by their index: only
// their stacks are asked for, and all others have not run. It is not earlier than the
// one before.
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

// countHalted counts the last snapshot where all threads that were left were stopped.
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

// finishRow counts all threads of the row up to the last snapshot.
func (b *Builder) finishRow() {
	if !b.row.behind {
		return
	}
	for _, r := range b.row.records {
		b.catchUp(r)
	}
	b.row.behind = false
}

// catchUp counts the snapshots since the last one in which a thread was counted, as
// if each had been added.
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

// again counts n further samples that told the same.
func (r *record) again(n int, t told) {
	r.Samples += n
	r.States.add(t.state, n)
	if t.unstopped {
		r.Unstopped += n
	}
}
