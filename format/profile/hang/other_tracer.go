package hang

import (
	"errors"
	"fmt"
	"time"

	"stacksnap/task"
)

// tracing is the time for which another program, such as a debugger or another watch,
// prevents captures of the target.
type tracing struct {
	by    *task.TracedError // present tracer; nil: none
	last  *task.TracedError // present or last tracer
	since time.Duration
	from  time.Duration // start of the time that counts for the report
	total time.Duration // traced time before "from" that counts for the report
}

// begin records that a capture failed because of by, and returns the line to report.
func (t *tracing) begin(by *task.TracedError, now time.Duration) string {
	if t.by != nil {
		return ""
	}
	t.by, t.last, t.since, t.from = by, by, now, now
	return by.By() + " traces the target: until it lets go, no stacks can be captured"
}

// end records that nobody traces the target, and returns the line to report.
func (t *tracing) end(now time.Duration) string {
	if t.by == nil {
		return ""
	}
	who, lasted := t.by.By(), now-t.since
	t.total, t.by = t.missed(now), nil
	return fmt.Sprintf("%s no longer traces the target: it did for %v", who, round(lasted))
}

// restart resets the time for a new report.
func (t *tracing) restart(now time.Duration) { t.total, t.from = 0, now }

// missed returns the time for which the target was traced, since the start of the report.
func (t *tracing) missed(now time.Duration) time.Duration {
	if t.by == nil {
		return t.total
	}
	return t.total + now - t.from
}

// note returns a note for the report on that time, and resets it.
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

// take takes a snapshot. If another program traces the target, it reports that and returns
// no error.
func (w *watcher) take(wanted func(*task.Thread) bool) error {
	err := w.series.Take(wanted)
	w.moved.stopped()
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

// seeFree checks whether the target is still traced, if it was.
func (w *watcher) seeFree() {
	if w.tracing.by != nil && w.stopper.Traced() == nil {
		w.tell(w.tracing.end(w.clock.Now()))
	}
}

// noteTraced adds a note to the report on the time for which the target was traced.
func (w *watcher) noteTraced() {
	if line := w.tracing.note(w.clock.Now()); line != "" {
		w.series.Note(line)
	}
}
