package hang

import (
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// The finer rhythms: of observations between two snapshots, and of finding what every
// thread waits for.
const (
	observationsPerSample = 4
	mostBetween           = 100 * time.Millisecond // two observations
	waitsEvery            = 500 * time.Millisecond
	fewThreads            = 32 // of so many it is found each time
	followTries           = 3  // each costs the samples of its time
)

// hanging is a hang that is being sampled.
type hanging struct {
	report    *hangreport.Report
	start     time.Duration
	before    task.Counters // at the start
	now       task.Counters
	spent     spending // where our stops did not disturb it
	stops     disturbance
	observed  time.Duration // when the thread was last observed
	nextWaits time.Duration
	follows   int           // how often its wait was followed
	nextTry   time.Duration // of that
	alive     bool          // the thread was met in its run loop, only that it never had to wait there
	wait      waits.Kind
}

// follow samples a hang to its end. It returns nil for one that turned out to be
// none.
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

// betweenObservations is the time between two observations of a thread that is stuck, by that between two
// snapshots: however long that is, the end of the hang, or of the watch, is seen soon.
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
	w.series.Begin()
	w.save(h.report, h.report.Start)
	return h
}

// see adds up how the thread spent the time since the last observation, all of it as this one
// finds it: the counters do not say. It leaves out what our stops disturbed.
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

// sample takes a snapshot and notes what the thread does. What others wait for
// is found at once, and then from time to time.
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
	if t.State == task.Running && waits.NamesLoopCall(function) {
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

// harmless reports whether the last sample finds a wait, and not for a lock.
func harmless(r *hangreport.Report) bool {
	n := len(r.Phases)
	return n > 0 && r.Phases[n-1].Wait != nil && r.Phases[n-1].Wait.Lock == profile.NoLock
}

// kind judges how the thread spent the hang. Where the system counts no CPU
// times it is known since the hang was found, and a processor that was waited for
// cannot be told from one that was had.
func (h *hanging) kind() hangreport.Kind {
	ran := h.spent.ran
	if h.now.CPU == 0 {
		ran = h.spent.worked
	}
	return hangreport.KindOf(h.spent.worked, ran, h.spent.whole)
}

// end completes the report of a hang. It returns nil where no stack could be had of
// a wait that may be none for a lock.
func (w *watcher) end(h *hanging, why string) *hangreport.Report {
	r := h.report
	if len(r.Phases) == 0 && w.tracing.missed(w.clock.Now()) > 0 && h.wait == waits.Other {
		w.series.DropSaved()
		return nil
	}
	w.noteTraced()
	whole := w.clock.Now() - h.start
	if r.Ended {
		whole = w.detector.End() - h.start
	}
	r.Finish(whole)
	r.Why = why
	r.CPU = max(0, h.now.CPU-h.before.CPU)
	r.Kind = h.kind()
	r.Profile = w.series.Profile()
	w.endSave(r)
	return r
}
