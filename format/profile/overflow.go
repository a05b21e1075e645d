package profile

import "stacksnap/task"

// The limits of threads with entries of their own. Without them, a program that makes a
// thread for each request could not be sampled for hours.
const (
	maxThreads = 4096
	maxNames   = 256 // entries of overflow threads, which share one by name
)

// crowd is the overflow threads, those beyond maxThreads. They share an entry with others
// of their name.
type crowd struct {
	byName  map[string]*record
	threads int // number of overflow threads
}

// join returns the shared entry for a new thread, or nil if the thread gets its own.
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

// target returns the entry that the thread's samples are added to.
func (r *record) target() *record {
	if r.into != nil {
		return r.into
	}
	return r
}

// take updates the thread's facts from a snapshot, and those of a shared entry except CPU
// time.
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

// forget drops the records of overflow threads that have ended. A thread that was only
// missing for a while joins its entry again.
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
