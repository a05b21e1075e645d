package hang

import (
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// The frequency of observations between snapshots of a hang, and of finding the waits of all
// threads.
const (
	observationsPerSample = 4
	mostBetween           = 100 * time.Millisecond // longest time between two observations
	waitsEvery            = 500 * time.Millisecond
	fewThreads            = 32 // the waits of this many threads are found in each sample
	followTries           = 3  // no samples are taken during a try
)

// hanging is a hang that is being sampled.
type hanging struct {
	report    *hangreport.Report
	start     time.Duration
	before    task.Counters // counters at the start
	now       task.Counters
	spent     spending // time that our stops did not disturb
	stops     disturbance
	observed  time.Duration // time of the last observation
	nextWaits time.Duration
	follows   int           // number of times that the thread's wait was followed
	nextTry   time.Duration // earliest time of the next such try
	alive     bool          // the thread was in its run loop, which never had to wait
	wait      waits.Kind
}

// follow samples a hang until it ends. It returns nil if it turns out to be no hang.
func (w *watcher) follow() (*hangreport.Report, error) {
	h := w.begin()
	nextSample := time.Duration(0)
	for {
		now := w.clock.Now()
		if now >= nextSample {
			if err := w.sample(h, now); err != nil {
				return w.end(h, err.Error()), err
			}
			if h.alive || harmless(h.report) && w.detector.IgnoreLastWait() {
				w.nextObservation = w.detector.Next()
				w.series.DropSaved()
				return nil, nil
			}
			w.followWaits(h, now)
			h.stops.sampled(w.series.Stopped(), w.clock.Now())
			nextSample = h.stops.next(now, w.options.Interval)
		}
		w.clock.SleepUntil(min(nextSample, w.clock.Now()+betweenObservations(w.options.Interval)))
		event, s, err := w.observe()
		switch h.see(s); {
		case err != nil:
			return w.end(h, "the thread ended"), err
		case event == Recovered && s.Wait == waits.Stopped:
			return w.end(h, "the thread was stopped, by a signal or a debugger"), nil
		case event == Recovered:
			h.report.Ended = true
			return w.end(h, ""), nil
		case w.ctx.Err() != nil:
			return w.end(h, "the watch was ended"), nil
		case w.clock.Now()-h.start >= w.options.MaxHang:
			return w.end(h, "it was sampled for as long as was asked"), nil
		}
	}
}

// betweenObservations returns the time between observations of a stuck thread. It is short
// even for a long interval between snapshots, so that the end of the hang, or of the watch,
// is noticed soon.
func betweenObservations(interval time.Duration) time.Duration {
	return min(max(shortest, interval/observationsPerSample), mostBetween)
}

func (w *watcher) begin() *hanging {
	h := &hanging{}
	h.start, h.before = w.detector.Away()
	h.now, h.observed = w.detector.prev.Counters, w.detector.prev.At
	if ran := h.now.CPU - h.before.CPU; h.now.CPU > 0 {
		h.spent.add(h.observed-h.start, ran+h.now.Queued-h.before.Queued, ran)
	}
	h.stops = newDisturbance(h.start, h.observed)
	w.tracing.restart(w.clock.Now())
	h.report = &hangreport.Report{Reason: hangreport.Hang, Thread: w.options.Thread, Start: time.Now().Add(h.start - w.clock.Now())}
	h.report.FromStart = w.detector.FromStart() || !w.moved.Ran
	w.series.Begin()
	w.save(h.report, h.report.Start)
	return h
}

// see counts the time since the last observation as working or waiting, whichever this
// observation finds. It leaves out time that our stops disturbed.
func (h *hanging) see(s Observation) {
	counted := s.Counters.CPU > 0
	var ran time.Duration
	if counted {
		ran = s.Counters.CPU - h.now.CPU
		h.now = s.Counters
	}
	since := max(0, s.At-h.observed)
	h.observed, h.wait = max(h.observed, s.At), s.Wait
	switch {
	case h.stops.see(s, ran):
	case s.Wait == waits.None:
		h.spent.add(since, since, ran)
	default:
		h.spent.add(since, 0, ran)
	}
}

// sample takes a snapshot and adds the thread's function and wait to the report. It finds
// the waits of the other threads at once, and then every waitsEvery.
func (w *watcher) sample(h *hanging, now time.Duration) error {
	all := now >= h.nextWaits
	if all {
		h.nextWaits = now + waitsEvery
	}
	id, others := w.options.Thread, 0
	err := w.take(func(t *task.Thread) bool {
		others++
		return all || t.ID == id || others <= fewThreads
	})
	t, st, ok := w.series.Thread(id)
	if !ok || w.tracing.by != nil {
		return err
	}
	if t.Name != "" {
		h.report.Name = t.Name
	}
	function := w.series.Innermost(st)
	wait, known := w.series.Wait(id)
	h.report.AddSample(now-h.start, function, wait, known)
	if t.State == task.Running && waits.AtLoopCall(w.process, &t.Registers, function) {
		h.alive = true
	}
	return err
}

// followWaits captures the processes that the thread waits for, unless that was done.
func (w *watcher) followWaits(h *hanging, now time.Duration) {
	wait, known := w.series.Wait(w.options.Thread)
	if w.options.Follow == nil || !known || wait == nil || h.follows == followTries || now < h.nextTry {
		return
	}
	h.follows, h.nextTry = h.follows+1, now+waitsEvery
	f := w.series.Follow(w.options.Thread, *w.options.Follow)
	if len(f.Profiles)+len(f.Missing)+len(f.Deadlocks) > 0 {
		h.report.Followed, h.follows = f, followTries
	}
}

// harmless reports whether the last sample found the thread in a wait that is not for a
// lock.
func harmless(r *hangreport.Report) bool {
	n := len(r.Phases)
	return n > 0 && r.Phases[n-1].Wait != nil && r.Phases[n-1].Wait.Lock == profile.NoLock
}

// kind returns how the thread spent the hang. Where the system counts no CPU times, it is
// known only from when the hang was found, and waiting for a CPU counts as running.
func (h *hanging) kind() hangreport.Kind {
	ran := h.spent.ran
	if h.now.CPU == 0 {
		ran = h.spent.worked
	}
	return hangreport.KindOf(h.spent.worked, ran, h.spent.whole)
}

// end completes the report of a hang. It returns nil if no stack could be captured and the
// wait may not be for a lock.
func (w *watcher) end(h *hanging, why string) *hangreport.Report {
	r := h.report
	if len(r.Phases) == 0 && w.tracing.missed(w.clock.Now()) > 0 && h.wait == waits.Other {
		w.series.DropSaved()
		return nil
	}
	whole := w.clock.Now() - h.start
	if r.Ended {
		whole = w.detector.End() - h.start
	}
	r.Finish(whole)
	r.Why = why
	r.CPU = max(0, h.now.CPU-h.before.CPU)
	r.Kind = h.kind()
	w.addProfile(r)
	return r
}
