package hang

import (
	"time"

	"stacksnap/task"
)

// found is what a watch has to do next.
type found uint8

const (
	nothing      found = iota // the watch is to end, or threads are to be let go of
	threadStuck               // the thread is stuck
	timeToReport              // a periodic report is due
)

// await observes the thread until there is something to capture. It does so on a goroutine of
// its own: the calling one is bound to the thread that a live Linux process
// answers to, and such a one is woken by another thread, each time.
func (w *watcher) await() (what found, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		what, err = w.idle()
	}()
	<-done
	return what, err
}

// idle observes the thread when it is time to. As long as it does not run, an observation is
// one system call, and nothing is allocated.
func (w *watcher) idle() (found, error) {
	for w.ctx.Err() == nil {
		w.alarm.SleepUntil(w.due())
		now := w.clock.Now()
		if w.options.Every > 0 && now >= w.nextTime {
			return timeToReport, nil
		}
		if w.options.Threshold > 0 && now >= w.nextObservation {
			if event, _, err := w.observe(); err != nil || event == Stuck {
				return threadStuck, err
			}
		}
		if w.unsettled {
			return nothing, nil
		}
	}
	return nothing, nil
}

// due returns when there is something to do.
func (w *watcher) due() time.Duration {
	next := w.nextReport()
	if w.unsettled {
		return min(next, w.clock.Now()+task.DetachEvery)
	}
	return next
}

// nextReport returns when an observation or a periodic report is due.
func (w *watcher) nextReport() time.Duration {
	switch {
	case w.options.Every == 0:
		return w.nextObservation
	case w.options.Threshold == 0:
		return w.nextTime
	}
	return min(w.nextObservation, w.nextTime)
}

// schedule sets when the next periodic report is due, and returns how many should
// have been made since the last one: it does not make up for them.
func (w *watcher) schedule() (missed int) {
	late := (w.clock.Now() - w.nextTime) / w.options.Every
	w.nextTime += (late + 1) * w.options.Every
	return int(late)
}
