package hang

import (
	"time"

	"stacksnap/task"
)

// found is the reason why the watch has stopped waiting.
type found uint8

const (
	nothing      found = iota // the watch ends, or threads may have to be detached
	threadStuck               // the thread is stuck
	timeToReport              // a periodic report is due
)

// await observes the thread until there is something to capture. It does so in another
// goroutine: the caller's is locked to the OS thread that traces the target on Linux, and
// waking a locked goroutine takes another thread switch each time.
func (w *watcher) await() (what found, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		what, err = w.idle()
	}()
	<-done
	return what, err
}

// idle observes the thread whenever that is due. While the thread does not run, an
// observation is one system call, and nothing is allocated.
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

// due returns the time of the next action.
func (w *watcher) due() time.Duration {
	next := w.nextReport()
	if w.unsettled {
		return min(next, w.clock.Now()+task.DetachEvery)
	}
	return next
}

// nextReport returns the time of the next observation or periodic report.
func (w *watcher) nextReport() time.Duration {
	switch {
	case w.options.Every == 0:
		return w.nextObservation
	case w.options.Threshold == 0:
		return w.nextTime
	}
	return min(w.nextObservation, w.nextTime)
}

// schedule sets the time of the next periodic report. It returns the number of reports that
// were skipped since the last one.
func (w *watcher) schedule() (missed int) {
	late := (w.clock.Now() - w.nextTime) / w.options.Every
	w.nextTime += (late + 1) * w.options.Every
	return int(late)
}
