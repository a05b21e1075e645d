package hang

import (
	"errors"
	"fmt"
	"time"

	"stacksnap/task"
)

// tracing is how another program keeps the target from being captured, as a
// debugger does, or another watch.
type tracing struct {
	by    *task.TracedError // nil: nobody does
	last  *task.TracedError // who did last
	since time.Duration
	from  time.Duration // since when it counts for the next report
	total time.Duration // before that
}

// begin takes into account that a capture failed, and returns the line to report.
func (t *tracing) begin(by *task.TracedError, now time.Duration) string {
	if t.by != nil {
		return ""
	}
	t.by, t.last, t.since, t.from = by, by, now, now
	return by.By() + " traces the target: until it lets go, no stacks can be captured"
}

// end takes into account that nobody traces the target, and returns the line to report.
func (t *tracing) end(now time.Duration) string {
	if t.by == nil {
		return ""
	}
	who, lasted := t.by.By(), now-t.since
	t.total, t.by = t.missed(now), nil
	return fmt.Sprintf("%s no longer traces the target: it did for %v", who, round(lasted))
}

// restart begins a report that has nothing to do with what was before.
func (t *tracing) restart(now time.Duration) { t.total, t.from = 0, now }

// missed returns for how much of the report's time the target was traced.
func (t *tracing) missed(now time.Duration) time.Duration {
	if t.by == nil {
		return t.total
	}
	return t.total + now - t.from
}

// note returns what the report has to say, and begins the next one.
func (t *tracing) note(now time.Duration) string {
	missed := t.missed(now)
	t.restart(now)
	if missed == 0 {
		return ""
	}
	return fmt.Sprintf("no stacks were captured for %v, while %s traced the target", round(missed), t.last.By())
}

func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(10 * time.Millisecond)
}

// take takes a snapshot. That another program traces the target is no error, but
// told.
func (w *watcher) take(wanted func(*task.Thread) bool) error {
	err := w.series.Take(wanted)
	var by *task.TracedError
	if t, _, ok := w.series.Thread(w.options.Thread); ok && err == nil {
		errors.As(t.Err, &by)
	}
	if by != nil || errors.As(err, &by) {
		w.tell(w.tracing.begin(by, w.clock.Now()))
		return nil
	}
	if err == nil {
		w.tell(w.tracing.end(w.clock.Now()))
	}
	return err
}

// seeFree finds out whether the target is traced still, if it was.
func (w *watcher) seeFree() {
	if w.tracing.by != nil && w.stopper.Traced() == nil {
		w.tell(w.tracing.end(w.clock.Now()))
	}
}

// noteTraced notes in the report for how long it could not be captured.
func (w *watcher) noteTraced() {
	if line := w.tracing.note(w.clock.Now()); line != "" {
		w.series.Note(line)
	}
}
