package profile

import "stacksnap/task"

// The bounds of how many threads are shown one by one, so that a program which
// makes a thread for each request can be sampled for hours.
const (
	maxThreads = 4096
	maxNames   = 256 // of those that are shown together
)

// crowd is the threads beyond maxThreads, which share an entry by their name.
type crowd struct {
	byName  map[string]*record
	threads int // that share
}

// join returns the entry that a new thread shares, nil when it has its own.
func (b *Builder) join(name string) *record {
	if len(b.order) < maxThreads {
		return nil
	}
	c := &b.crowd
	if c.byName == nil {
		c.byName = map[string]*record{}
	}
	if len(c.byName) >= maxNames && c.byName[name] == nil {
		name = ""
	}
	r := c.byName[name]
	if r == nil {
		r = &record{Thread: Thread{Name: name, First: b.p.Snapshots}}
		c.byName[name] = r
		b.order = append(b.order, r)
	}
	c.threads++
	return r
}

// target is the entry that a thread's samples belong to.
func (r *record) target() *record {
	if r.into != nil {
		return r.into
	}
	return r
}

// take takes over what a snapshot tells of a thread. Of those that share an
// entry the CPU time is not added up.
func (r *record) take(t *task.Thread, snapshot int) {
	r.see(t, snapshot)
	if r.into == nil {
		return
	}
	shared := r.into
	if shared.ID == 0 {
		shared.ID = t.ID
	}
	shared.Samples++
	shared.Last, shared.State = snapshot, r.State
	shared.States.add(t.State, 1)
	if t.Unstopped {
		shared.Unstopped++
	}
	if t.Err != nil {
		shared.Err = t.Err.Error()
	}
}

// forget drops what is kept of threads that have ended and had no entry of their
// own. One that was only left out for a while joins its entry again.
func (c *crowd) forget(last map[task.ThreadID]*record, snapshot int) {
	if len(last) < 2*maxThreads {
		return
	}
	for id, r := range last {
		if r.into != nil && r.Last != snapshot {
			delete(last, id)
		}
	}
}
