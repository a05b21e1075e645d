package task

import (
	"errors"
	"slices"
	"time"
)

// sampler is the state that is kept from one snapshot of a sampling to the next. Once its
// buffers have grown to what the target needs, a snapshot allocates nothing.
type sampler struct {
	process  Process
	stopper  ThreadStopper  // the process's; nil: it can only be stopped as a whole
	activity ActivityReader // the process's; nil if it has none, like pacer
	pacer    Pacer
	options  Options
	how      Suspension
	choice   *choice // nil: how does not change
	prober   prober

	snapshot Snapshot // the one that is yielded
	work     Snapshot // where stacks are copied to first
	now      Thread   // the thread that is being captured
	tick     int
	known    map[ThreadID]*sampled
	threads  []*sampled // the wanted threads of this tick, in the process's order
	todo     []*sampled // those of threads that have to be captured
	ids      []ThreadID // the IDs of todo
	first    int        // index in todo of the first thread that is stopped in this part

	stoppedUntil time.Time // the end of the last stop

	probes []StopProbe // for todo, where several threads are stopped at once

	one, all served // made once, because a method value is allocated
}

// served are the callbacks of [ThreadStopper].CaptureThreads.
type served struct {
	stopped func(int)
	runs    func(int, time.Duration, error)
}

// sampled is a thread with its last capture, in its own buffers.
type sampled struct {
	Thread
	own      [MaxStacks][]byte
	seen     int // the tick in which it was last listed
	have     bool
	got      bool // captured in this tick
	limit    int  // bytes of stack that the last capture could copy
	want     []Addr
	stopTime time.Duration // time in stops while it was running
	chains   *chainRoom    // memory of Chains; nil: it never had any
}

// take makes the next snapshot.
func (s *sampler) take() error {
	s.tick++
	out := &s.snapshot
	out.Threads, out.Missed, out.Stops, out.Stopped, out.LongestStop = out.Threads[:0], 0, 0, 0, 0
	out.Limit = min(max(out.Limit, FirstStackLimit), MaxStackLimit)
	s.prober.next(s.options.Watch)
	out.Time, out.Parted = time.Now(), false
	ids, err := s.process.Threads()
	if err != nil {
		return err
	}
	out.short = shortPiece(len(ids))
	s.list(ids)
	err = s.capture()
	s.publish()
	s.forget(len(ids))
	return err
}

// list fills threads with the wanted threads, and todo with those to capture.
func (s *sampler) list(ids []ThreadID) {
	s.threads, s.todo, s.ids = s.threads[:0], s.todo[:0], s.ids[:0]
	for _, id := range ids {
		k := s.thread(id)
		inKernel := k.Kernel
		k.got = s.idle(k)
		k.Same = k.got && k.sameKernel(inKernel)
		if !k.got {
			k.Err = nil
		}
		// A thread that has not run since its last capture but was described as running then was
		// just returning from an earlier stop.
		if !k.got || k.State == Running {
			if s.process.Describe(id, &k.Thread) != nil {
				continue
			}
		}
		if s.options.Threads != nil && !s.options.Threads(&k.Thread) {
			continue
		}
		s.schedule(k)
		s.threads = append(s.threads, k)
		if !k.got {
			s.todo = append(s.todo, k)
			s.ids = append(s.ids, id)
		}
	}
}

func (s *sampler) thread(id ThreadID) *sampled {
	k := s.known[id]
	if k == nil {
		k = &sampled{Thread: Thread{ID: id, Stacks: make([]Stack, 0, MaxStacks)}}
		s.known[id] = k
	}
	k.seen = s.tick
	return k
}

// idle reports whether the last capture of a thread still holds and has everything that is
// wanted now.
func (s *sampler) idle(k *sampled) bool {
	if s.activity == nil || !k.have {
		return false
	}
	if !slices.Equal(k.want, s.snapshot.Want[k.ID]) {
		return false
	}
	if k.limit < s.snapshot.limitOf(k.ID) && slices.ContainsFunc(k.Stacks, func(st Stack) bool { return st.Truncated() }) {
		return false
	}
	return s.activity.NotRun(k.ID, &k.Thread)
}

// capture captures the threads in todo.
func (s *sampler) capture() error {
	w := &s.work
	w.Limit, w.Want, w.Long, w.short = s.snapshot.Limit, s.snapshot.Want, s.snapshot.Long, s.snapshot.short
	w.Watch.Chains, w.running = s.prober.watch.Chains, s.options.Suspend == SuspendNone
	w.chains.reserve(maxChains * len(w.Watch.Chains))
	switch {
	case len(s.todo) == 0:
		return nil
	case s.choice != nil:
		s.how = s.choice.next(s.ready())
	}
	if s.how != SuspendTask && s.how != SuspendTogether {
		return s.captureEach()
	}
	if parts := Divide(s.process, s.ids, s.options.MaxStop); parts != nil {
		return s.captureParts(parts)
	}
	if s.how == SuspendTask {
		return s.captureTask()
	}
	return s.captureTogether(s.ids, StopOptions{})
}

// ready returns how many of the threads to capture run or wait for a processor.
func (s *sampler) ready() (n int) {
	for _, k := range s.todo {
		if k.State == Running {
			n++
		}
	}
	return n
}

// captureEach captures one thread after another, with stops or without any.
func (s *sampler) captureEach() error {
	s.work.reserve(MaxStacks, 0)
	s.snapshot.Time = time.Now()
	err := s.stopper.CaptureThreads(s.how, StopOptions{}, s.ids, s.one.stopped, s.one.runs)
	if s.choice != nil {
		s.choice.took(time.Since(s.snapshot.Time))
	}
	return err
}

// captureNow copies todo[i], which is stopped.
func (s *sampler) captureNow(i int) {
	s.work.used = 0
	s.work.chains.clear()
	s.now.ID, s.now.Err, s.now.Unstopped, s.now.State, s.now.Age = s.todo[i].ID, nil, false, StateUnknown, 0
	s.now.Kernel, s.now.Chains, s.now.Later = nil, nil, false
	s.copy(i, &s.now, &s.now.Probe)
}

func (s *sampler) settleNow(i int, stopTime time.Duration, err error) {
	s.settle(i, &s.now, stopTime, err)
}

// captureParts captures the threads part by part, each stop with as many threads as there is
// time for.
func (s *sampler) captureParts(parts *Parts) error {
	defer func() { s.first = 0 }()
	s.snapshot.Parted = true
	for part := parts.Next(); part != nil; part = parts.Next() {
		before := s.snapshot.LongestStop
		s.snapshot.LongestStop = 0
		err := s.captureTogether(part, StopOptions{Part: part})
		parts.Took(len(part), s.snapshot.LongestStop)
		s.snapshot.LongestStop = max(s.snapshot.LongestStop, before)
		s.first += len(part)
		if err != nil {
			return err
		}
	}
	return nil
}

// captureTogether stops and captures at once the threads ids, which are todo from first on.
func (s *sampler) captureTogether(ids []ThreadID, o StopOptions) error {
	w := &s.work
	w.reserve(len(ids), 0)
	w.chains.clear()
	s.probes = slices.Grow(s.probes[:0], len(ids))[:len(ids)]
	for i, id := range ids {
		w.add(id)
		s.probes[i].reserve(&s.prober.watch)
	}
	if s.first == 0 {
		s.snapshot.Time = time.Now()
	}
	err := s.stopper.CaptureThreads(SuspendTogether, o, ids, s.all.stopped, s.all.runs)
	if s.choice != nil {
		s.choice.addStop(s.snapshot.LongestStop)
	}
	return err
}

// captureHeld copies todo[first+i], which stays stopped until the others are copied, too.
func (s *sampler) captureHeld(i int) { s.copy(s.first+i, &s.work.Threads[i], &s.probes[i]) }

func (s *sampler) settleHeld(i int, stopTime time.Duration, err error) {
	t := &s.work.Threads[i]
	t.Probe = s.probes[i]
	s.settle(s.first+i, t, stopTime, err)
}

// copy copies todo[i] into t.
func (s *sampler) copy(i int, t *Thread, probe *StopProbe) {
	twice := s.how == SuspendNone || s.todo[i].State == Uninterruptible // it may be read without a stop
	if twice {
		s.prober.probe(&s.prober.before)
	}
	s.work.captureThread(s.process, t)
	s.prober.probe(probe)
	unheld := t.Unstopped || s.how == SuspendNone
	if t.Age > 0 || unheld && !(twice && probe.equals(&s.prober.before)) {
		probe.clear()
	}
	s.todo[i].got = true
}

// settle takes over what was copied into t for todo[i], or the reason why nothing was.
func (s *sampler) settle(i int, t *Thread, stopTime time.Duration, err error) {
	k := s.todo[i]
	switch {
	case k.got:
		k.keep(t, &s.work)
		k.Unstopped = t.Unstopped
	case errors.Is(err, ErrThreadGone):
		k.Err = err
	default:
		k.fail(err)
	}
	if stopTime > 0 {
		k.countStop(stopTime)
		s.count(stopTime)
	}
}

// count counts a stop that ends now. Where stops of several threads overlap, the time counts
// only once as Stopped.
func (s *sampler) count(stopTime time.Duration) {
	now := time.Now()
	s.snapshot.Stops++
	s.snapshot.Stopped += min(stopTime, now.Sub(s.stoppedUntil))
	s.snapshot.LongestStop = max(s.snapshot.LongestStop, stopTime)
	s.stoppedUntil = now
}

// captureTask stops the whole process once.
func (s *sampler) captureTask() error {
	w := &s.work
	w.reserve(len(s.todo), spareThreads)
	for i, id := range s.ids {
		w.add(id)
		w.index[id] = i
	}
	s.snapshot.Time = time.Now()
	resume, err := s.process.Suspend(StopOptions{})
	if err != nil {
		return err
	}
	captureErr := s.captureListed()
	resumeErr := resume()
	stopTime := time.Since(s.snapshot.Time)
	if stop := lastStop(s.stopper, s.snapshot.Time); !stop.Ordered.IsZero() {
		s.snapshot.Time, stopTime = stop.Ordered, stop.Released.Sub(stop.Ordered)
	}
	s.count(stopTime)
	s.confirm()
	s.takeOver(stopTime)
	return errors.Join(captureErr, resumeErr)
}

// captureListed runs while the target is stopped: it allocates nothing. It also captures threads
// that have appeared since the listing, if every thread is wanted.
func (s *sampler) captureListed() error {
	w := &s.work
	ids, err := s.process.Threads()
	if err != nil {
		return err
	}
	s.prober.probe(&s.now.Probe)
	for _, id := range ids {
		if k := s.known[id]; k != nil && (k.got || s.options.Threads != nil) {
			if _, asked := w.index[id]; !asked {
				continue
			}
		}
		t := w.slot(id)
		if t == nil {
			w.Missed++
			continue
		}
		w.captureThread(s.process, t)
		if t.Err != nil && isExited(t.Err) {
			return t.Err
		}
	}
	return nil
}

// takeOver keeps what captureListed has copied. stopTime is how long the stop lasted.
func (s *sampler) takeOver(stopTime time.Duration) {
	w := &s.work
	s.snapshot.Missed += w.Missed
	for i := range w.Threads {
		t := &w.Threads[i]
		if !t.captured || errors.Is(t.Err, ErrThreadGone) {
			continue
		}
		k := s.thread(t.ID)
		if i >= len(s.ids) {
			_ = s.process.Describe(t.ID, &k.Thread)
			if s.options.Threads != nil && !s.options.Threads(&k.Thread) {
				continue
			}
			s.threads = append(s.threads, k)
		}
		k.got = true
		k.countStop(stopTime)
		t.Probe = s.now.Probe // one for all
		k.keep(t, w)
	}
}

// publish puts the threads of this tick into the snapshot, except those that were neither
// captured nor failed.
func (s *sampler) publish() {
	out := &s.snapshot
	out.Threads = slices.Grow(out.Threads, len(s.threads))
	for _, k := range s.threads {
		if k.got || k.Err != nil && !errors.Is(k.Err, ErrThreadGone) {
			out.Threads = append(out.Threads, k.Thread)
		}
	}
}

// forget drops the threads that have ended.
func (s *sampler) forget(listed int) {
	if len(s.known) == listed {
		return
	}
	for id, k := range s.known {
		if k.seen != s.tick {
			delete(s.known, id)
			delete(s.snapshot.Want, id)
			delete(s.snapshot.Long, id)
		}
	}
}
