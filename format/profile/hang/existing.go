package hang

import (
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
)

// confirmAfter is the time between two observations of a deadlock. A wait cycle that is only
// contention is over by then.
const confirmAfter = 50 * time.Millisecond

// deadlocks reports the deadlocks, of any threads, that exist when the watch begins; nil: there
// are none. One snapshot is searched for them. If it has some, two more are taken for the
// report, and the deadlock must be in both.
func (w *watcher) deadlocks() (*hangreport.Report, error) {
	w.series.Begin()
	err := w.take(nil)
	if err != nil || len(w.series.Deadlocks()) == 0 {
		return nil, err
	}
	r := &hangreport.Report{Reason: hangreport.Deadlocked, Thread: w.options.Thread}
	w.series.Begin()
	w.save(r, time.Now())
	for range 2 {
		w.clock.SleepUntil(w.clock.Now() + confirmAfter)
		if err = w.take(nil); err != nil {
			break
		}
	}
	if err != nil || !slices.ContainsFunc(w.series.Deadlocks(), lasts) {
		w.series.DropSaved()
		return nil, err
	}
	w.addProfile(r)
	r.Start, r.Duration = r.Profile.Start, r.Profile.Duration()
	return r, nil
}

// lasts reports whether a deadlock was observed more than once, including the last time.
func lasts(d profile.Deadlock) bool { return !d.Ended && d.Looks > 1 }
