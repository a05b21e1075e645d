package stackshot

import (
	"iter"
	"slices"
)

// Whole yields complete stackshots: a delta is merged with the stackshot before it if the delta
// was made since that one. Other stackshots are yielded unchanged, except that they take the
// kernel's images from the one before. Each is merged on demand, because all of them together
// need many times the size of the file.
func Whole(shots []*Shot) iter.Seq[*Shot] {
	return func(yield func(*Shot) bool) {
		var last *Shot
		for _, s := range shots {
			if last = s.after(last); !yield(last) {
				return
			}
		}
	}
}

// after returns the complete stackshot, given the one before, which may be nil.
func (s *Shot) after(last *Shot) *Shot {
	switch {
	case last == nil:
		return s
	case s.Delta && s.goesOnFrom(last):
		return last.Merge(s)
	}
	return s.withKernel(last)
}

// withKernel returns the stackshot with the kernel images of another, if it has none
// and the kernel is the same.
func (s *Shot) withKernel(of *Shot) *Shot {
	if s.OSVersion == "" || s.OSVersion != of.OSVersion {
		return s
	}
	m := *s
	m.kernel = of.kernelImages()
	return &m
}

// goesOnFrom reports whether a delta continues base: a thread that has not run since the delta's
// start has not run since base either.
func (s *Shot) goesOnFrom(base *Shot) bool {
	return s.Since != nil && base.AbsoluteTime != nil && *s.Since <= *base.AbsoluteTime
}

// Merge returns the complete stackshot that results from applying a delta to s. It has
// everything in the delta and, for the threads and tasks that have not run, what s has of them.
// Threads and tasks that are missing from the delta have ended. Neither stackshot is modified.
func (s *Shot) Merge(delta *Shot) *Shot {
	m := *delta
	m.Delta = s.Delta
	m.keep(s)
	before := map[uint64]*Task{}
	for i := range s.Tasks {
		before[s.Tasks[i].ID] = &s.Tasks[i]
	}
	m.Tasks = make([]Task, 0, len(delta.Tasks))
	for i := range delta.Tasks {
		t := delta.Tasks[i]
		if base := before[t.ID]; base != nil {
			t = base.merge(&t)
		}
		m.Tasks = append(m.Tasks, t)
	}
	for i := range delta.Tasks {
		delete(before, delta.Tasks[i].ID)
	}
	for _, id := range delta.StillTasks {
		if base := before[id]; base != nil {
			m.Tasks = append(m.Tasks, *base)
			delete(before, id)
		}
	}
	m.StillTasks = nil
	return &m
}

// keep copies from base what a delta does not repeat.
func (s *Shot) keep(base *Shot) {
	if s.BootArgs == "" {
		s.BootArgs = base.BootArgs
	}
	if s.OSVersion == "" {
		s.OSVersion = base.OSVersion
	}
	if s.OSBuild == "" {
		s.OSBuild = base.OSBuild
	}
	otherwise(&s.PageSize, base.PageSize)
	otherwise(&s.Timebase, base.Timebase)
	otherwise(&s.SharedCache, base.SharedCache)
	s.layouts = nil
	if s.Layout == nil && s.Caches == nil {
		s.layouts = base.layouts
	}
	if s.Layout == nil {
		s.Layout = base.Layout
	}
	if s.Groups == nil {
		s.Groups = base.Groups
	}
	s.Caches = withCaches(s.Caches, base.Caches)
	s.kernel = nil
	if len(s.reportedKernel()) == 0 {
		s.kernel = base.kernelImages()
	}
}

// withCaches returns the caches of a delta, which are only the new ones, followed by the earlier
// ones, up to [maxCaches].
func withCaches(now, before []Cache) []Cache {
	if len(now) == 0 {
		return before
	}
	list := slices.Clip(now)
	for i := range before {
		isKnown := func(c Cache) bool { return c.ID == before[i].ID }
		if len(list) < maxCaches && !slices.ContainsFunc(now, isKnown) {
			list = append(list, before[i])
		}
	}
	return list
}

// otherwise sets *to if it is nil.
func otherwise[T any](to **T, from *T) {
	if *to == nil {
		*to = from
	}
}

// merge returns the current task. Waits are those of the delta, which has them for
// all threads.
func (t *Task) merge(now *Task) Task {
	m := *now
	m.Delta, m.Deltas, m.StillThreads = nil, nil, nil
	if m.Snapshot == nil && t.Snapshot != nil && now.Delta != nil {
		m.Snapshot = t.Snapshot.with(now.Delta)
	}
	otherwise(&m.IO, t.IO)
	otherwise(&m.KernelCache, t.KernelCache)
	otherwise(&m.SharedCache, t.SharedCache)
	otherwise(&m.CacheID, t.CacheID)
	otherwise(&m.Architecture, t.Architecture)
	otherwise(&m.CodeSigning, t.CodeSigning)
	otherwise(&m.Coalition, t.Coalition)
	if m.Images == nil {
		m.Images = t.Images
	}
	if m.TextExec == nil {
		m.TextExec = t.TextExec
	}
	m.Threads = t.mergeThreads(now)
	return m
}

// mergeThreads returns the current threads, each once. A thread that was not known before has
// only its id and the facts in the delta.
func (t *Task) mergeThreads(now *Task) []Thread {
	before := map[uint64]*Thread{}
	for i := range t.Threads {
		before[t.Threads[i].ID] = &t.Threads[i]
	}
	list := append(make([]Thread, 0, len(now.Threads)+len(now.Deltas)), now.Threads...)
	taken := map[uint64]bool{}
	for i := range list {
		taken[list[i].ID] = true
	}
	add := func(t Thread) {
		if !taken[t.ID] {
			taken[t.ID] = true
			list = append(list, t)
		}
	}
	for i := range now.Deltas {
		add(before[now.Deltas[i].ID].with(&now.Deltas[i]))
	}
	for _, id := range now.StillThreads {
		if base := before[id]; base != nil {
			still := *base
			still.Still = true
			add(still)
		} else {
			add(Thread{ID: id})
		}
	}
	return list
}

// with returns the thread with the changes applied; t may be nil.
func (t *Thread) with(d *ThreadDelta) Thread {
	m := Thread{ID: d.ID}
	s := ThreadSnapshot{ID: d.ID}
	if t != nil {
		m = *t
		m.Still = true
		if t.Snapshot != nil {
			s = *t.Snapshot
		}
	}
	// How far the stack was read belongs to the stack, which is the earlier one.
	const kept = ThreadCut | threadTellsWhoseIsIt | User64 | Kernel64 | ThreadHasSerial | ThreadMain
	s.Flags = d.Flags&^kept | s.Flags&kept | d.Flags&ThreadMain
	s.Voucher, s.LastMadeRunnable, s.State, s.SchedFlags = d.Voucher, d.LastMadeRunnable, d.State, d.SchedFlags
	s.BasePriority, s.Priority, s.IOTier = d.BasePriority, d.Priority, d.IOTier
	s.EffectiveQoS, s.RequestedQoS, s.OverrideQoS = d.EffectiveQoS, d.RequestedQoS, d.OverrideQoS
	s.RequestedPolicy, s.EffectivePolicy = d.RequestedPolicy, d.EffectivePolicy
	m.Snapshot = &s
	return m
}

// with returns the task's facts with the changes applied.
func (t *TaskSnapshot) with(d *TaskDelta) *TaskSnapshot {
	m := *t
	m.Flags, m.UserEnded, m.SystemEnded = d.Flags, d.UserEnded, d.SystemEnded
	m.Footprint, m.MaxResident, m.SuspendCount = d.Footprint, d.MaxResident, d.SuspendCount
	m.Faults, m.PageIns, m.CopyFaults = d.Faults, d.PageIns, d.CopyFaults
	m.WasThrottled, m.DidThrottle, m.LatencyQoS = d.WasThrottled, d.DidThrottle, d.LatencyQoS
	return &m
}
