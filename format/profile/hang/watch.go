package hang

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/profile/waits"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
	"stacksnap/task/recording"
)

// Options are the options of a watch.
type Options struct {
	Threshold time.Duration   // least duration of a hang; 0: no hangs, only Every
	MaxHang   time.Duration   // longest time to sample a hang; 0: DefaultMaxHang
	Interval  time.Duration   // time between snapshots of a hang; 0: DefaultInterval
	Thread    task.ThreadID   // 0: the main thread
	Every     time.Duration   // interval of periodic reports; 0: none
	Tool      string          // name and version of the capturing program
	Clock     task.Clock      // nil: the system's
	Binaries  *binaries.Index // symbols for files that have none; may be nil
	// Native and NoRuntimes are as in [capture.Options].
	Native, NoRuntimes bool
	// Save makes the file for the recording of a report that starts at that time. It is
	// called before the first snapshot. May be nil.
	Save func(start time.Time) (recording.Output, error)
	// Follow has the options for capturing the processes that a stuck thread waits for;
	// nil: they are not captured.
	Follow *capture.Options
	// Tell receives lines for the user other than reports: that the target is stopped, or could
	// not be observed. It may be nil.
	Tell func(line string)
}

// ThreadName names the watched thread in lines for the user.
func (o *Options) ThreadName() string {
	if o.Thread == 0 {
		return "the main thread"
	}
	return fmt.Sprintf("thread %d", o.Thread)
}

// The defaults of options that are 0.
const (
	DefaultMaxHang  = 10 * time.Second
	DefaultInterval = 10 * time.Millisecond
)

// ErrNoThread is returned for a thread that does not exist, or no longer.
var ErrNoThread = errors.New("no such thread to watch")

// Watch watches a thread until ctx is done (no error) or the target ends (a
// *[task.ExitedError]). It calls onReport once for each hang, when that has ended or was
// sampled for MaxHang. An error of onReport ends the watch. Everything runs in the caller's
// goroutine, except observing a thread that is not stuck. It returns the time in which it
// could not observe the thread.
func Watch(ctx context.Context, p task.Process, o Options, onReport func(*hangreport.Report) error) (Coverage, error) {
	w, err := newWatcher(ctx, p, o)
	if err != nil {
		return Coverage{}, err
	}
	defer w.close()
	defer context.AfterFunc(ctx, w.alarm.Cancel)()
	err = w.watch(onReport)
	w.covered.end(w.clock.Now(), w.options.Threshold)
	w.moved.end(w.clock.Now())
	w.covered.Movement = w.moved.Movement
	return w.covered.Coverage, err
}

func (w *watcher) watch(onReport func(*hangreport.Report) error) error {
	for step := w.first; w.ctx.Err() == nil; step = w.step {
		r, err := step()
		if r != nil {
			if reportErr := onReport(r); reportErr != nil {
				return reportErr
			}
		}
		if err != nil {
			return w.explain(err)
		}
	}
	return nil
}

// watcher is a watch under way.
type watcher struct {
	ctx             context.Context
	process         task.Process
	stopper         task.ThreadStopper
	options         Options
	clock           task.Clock
	alarm           *task.Alarm
	observer        *observer
	detector        *Detector
	stop            stopState
	whose           string // the thread's name in lines for the user
	tracing         tracing
	covered         coverage
	moved           movement
	series          *capture.Series
	nextObservation time.Duration
	nextTime        time.Duration // time of the next periodic report

	unsettled bool // threads of the last capture may still be attached
}

func (w *watcher) close() {
	_ = w.alarm.Close()
	_ = w.observer.watch.Close()
}

func newWatcher(ctx context.Context, p task.Process, o Options) (*watcher, error) {
	if o.MaxHang == 0 {
		o.MaxHang = DefaultMaxHang
	}
	if o.Interval <= 0 {
		o.Interval = DefaultInterval
	}
	if o.Clock == nil {
		o.Clock = task.SystemClock()
	}
	able := p.Capabilities()
	w := &watcher{ctx: ctx, process: p, options: o, stopper: able.Stopper, clock: o.Clock}
	if err := task.CanStop(p, task.SuspendTask); err != nil {
		return nil, err
	}
	if err := w.chooseThread(); err != nil {
		return nil, err
	}
	if able.Activity == nil || able.Stopper == nil {
		return nil, fmt.Errorf("threads of this process cannot be watched: %w", task.ErrUnsupported)
	}
	watch, err := able.Activity.WatchThread(w.options.Thread)
	if err != nil {
		return nil, w.explain(err)
	}
	if w.series, err = capture.NewSeries(p, capture.Options{Tool: o.Tool, Binaries: o.Binaries, Native: o.Native, NoRuntimes: o.NoRuntimes}); err != nil {
		return nil, errors.Join(err, watch.Close())
	}
	w.alarm = task.NewAlarm(w.clock)
	w.observer = newObserver(p, watch, w.clock, waits.NewJudge(p, w.series.Images))
	w.detector = NewDetector(o.Threshold)
	w.nextObservation = w.clock.Now()
	w.nextTime = w.nextObservation + o.Every
	return w, nil
}

// chooseThread checks that the thread exists. The default is the main thread: on Linux the
// one whose id is the pid, otherwise the one with the lowest id.
func (w *watcher) chooseThread() error {
	ids, err := w.process.Threads()
	if err != nil {
		return err
	}
	w.whose = w.options.ThreadName()
	if w.options.Thread == 0 && len(ids) > 0 {
		w.options.Thread = slices.Min(ids)
		if pid := task.ThreadID(w.process.Info().PID); w.process.Info().OS == task.Linux && slices.Contains(ids, pid) {
			w.options.Thread = pid
		}
	}
	if !slices.Contains(ids, w.options.Thread) {
		return fmt.Errorf("thread %d of pid %d: %w", w.options.Thread, w.process.Info().PID, ErrNoThread)
	}
	return nil
}

// first is the first step of a watch for hangs: it observes the thread, and then reports deadlocks that
// exist already.
func (w *watcher) first() (*hangreport.Report, error) {
	if w.options.Threshold == 0 {
		return nil, nil
	}
	if _, _, err := w.observe(); err != nil {
		return nil, err
	}
	return w.deadlocks()
}

// step waits until there is something to capture, and captures it.
func (w *watcher) step() (*hangreport.Report, error) {
	if w.unsettled = w.stopper.DetachLate() > 0; w.unsettled {
		w.moved.stopped()
	}
	found, err := w.await()
	switch {
	case err != nil:
		return nil, err
	case found == timeToReport:
		return w.periodic()
	case found == threadStuck:
		return w.follow()
	}
	return nil, nil
}

// observe observes the thread once.
func (w *watcher) observe() (Event, Observation, error) {
	s, err := w.observer.observe()
	if err != nil {
		return Nothing, s, err
	}
	stuck := w.detector.stuck
	event := w.detector.See(s)
	w.tell(w.covered.see(s, stuck, w.options.Threshold))
	w.nextObservation = w.detector.Next()
	w.tell(w.stop.see(s, w.options.Threshold))
	w.moved.see(s, w.detector.idle)
	w.tell(w.moved.line(w.whose, w.options.Threshold, w.process.Info().PID))
	w.seeFree()
	return event, s, nil
}

// tell passes a line to Options.Tell, unless it is empty.
func (w *watcher) tell(line string) {
	if line != "" && w.options.Tell != nil {
		w.options.Tell(line)
	}
}

// periodic makes a periodic report, with one snapshot.
func (w *watcher) periodic() (*hangreport.Report, error) {
	r := &hangreport.Report{Reason: hangreport.Periodic, Thread: w.options.Thread}
	missed := w.schedule()
	w.series.Begin()
	w.save(r, time.Now())
	if missed > 0 {
		w.series.Note(fmt.Sprintf("%d reports were due since the last one and left out, for nothing ran then", missed))
	}
	err := w.take(nil)
	w.addProfile(r)
	if len(r.Profile.Threads) == 0 {
		return nil, err
	}
	r.Start, r.Duration = r.Profile.Start, r.Profile.Duration()
	return r, err
}

// addProfile adds the profile of the series to a report, and ends the report's recording.
func (w *watcher) addProfile(r *hangreport.Report) {
	w.noteTraced()
	w.series.AddTasks()
	r.Profile = w.series.Profile() // before the recording ends, as notes on its sources are written to that
	path, err := w.series.EndSaved()
	r.Recording, r.SaveErr = path, errors.Join(r.SaveErr, err)
}

// save begins the recording of a report.
func (w *watcher) save(r *hangreport.Report, start time.Time) {
	if w.options.Save == nil {
		return
	}
	file, err := w.options.Save(start)
	if err == nil {
		err = w.series.Save(file)
	}
	r.SaveErr = err
}

// explain replaces the error of a thread that is gone: either the thread or its process has
// ended.
func (w *watcher) explain(err error) error {
	if !errors.Is(err, task.ErrThreadGone) {
		return err
	}
	if _, listErr := w.process.Threads(); listErr != nil {
		return listErr
	}
	return fmt.Errorf("thread %d of pid %d has ended: %w", w.options.Thread, w.process.Info().PID, ErrNoThread)
}
