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

// Options say what is watched for.
type Options struct {
	Threshold time.Duration   // how long a thread is stuck before that is a hang; 0: only Every
	MaxHang   time.Duration   // how long a hang is sampled; 0: DefaultMaxHang
	Interval  time.Duration   // between two snapshots of a hang; 0: DefaultInterval
	Thread    task.ThreadID   // 0: the main thread
	Every     time.Duration   // a report at this interval, hang or not; 0: none
	Tool      string          // the program that captures, with its version
	Clock     task.Clock      // nil: the system's
	Binaries  *binaries.Index // for what the files of the process lack; nil: nothing
	// Save makes the file of the recording to make besides a report, by when what
	// is reported began. It is called before the first snapshot. May be nil.
	Save func(start time.Time) (recording.Output, error)
	// Follow says how the processes are captured that the thread waits for, while it is
	// stuck; nil: they are not.
	Follow *capture.Options
	// Tell is given lines that a user should know at once, and are no report: the
	// target is stopped, or was not observed. May be nil.
	Tell func(line string)
}

// What stands in for options that are 0.
const (
	DefaultMaxHang  = 10 * time.Second
	DefaultInterval = 10 * time.Millisecond
)

// ErrNoThread says that a thread cannot be watched, for it has ended or never
// was.
var ErrNoThread = errors.New("no such thread to watch")

// Watch watches a thread until ctx is done, which is no error, or the target
// ends, which is a *[task.ExitedError]. Each hang is given to onReport once, when
// it has ended or has been sampled for MaxHang. An error of onReport ends the
// watch. Everything is done on the calling goroutine, but for observing a
// thread that is not stuck. It returns what the watch could not see.
func Watch(ctx context.Context, p task.Process, o Options, onReport func(*hangreport.Report) error) (Coverage, error) {
	w, err := newWatcher(ctx, p, o)
	if err != nil {
		return Coverage{}, err
	}
	defer w.close()
	defer context.AfterFunc(ctx, w.alarm.Cancel)()
	err = w.watch(onReport)
	w.covered.end(w.clock.Now(), w.options.Threshold)
	return w.covered.Coverage, err
}

func (w *watcher) watch(onReport func(*hangreport.Report) error) error {
	for w.ctx.Err() == nil {
		r, err := w.step()
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
	tracing         tracing
	covered         coverage
	series          *capture.Series
	nextObservation time.Duration
	nextTime        time.Duration // of Every

	unsettled bool // threads of the last capture may still have to be let go of
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
	if w.series, err = capture.NewSeries(p, o.Tool, o.Binaries); err != nil {
		return nil, errors.Join(err, watch.Close())
	}
	w.alarm = task.NewAlarm(w.clock)
	w.observer = newObserver(p, watch, w.clock, waits.NewJudge(p, w.series.Images))
	w.detector = NewDetector(o.Threshold)
	w.nextObservation = w.clock.Now()
	w.nextTime = w.nextObservation + o.Every
	return w, nil
}

// chooseThread finds the thread, or the main one: the kernel lists threads in
// the order in which they were made.
func (w *watcher) chooseThread() error {
	ids, err := w.process.Threads()
	if err != nil {
		return err
	}
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

// step waits until there is something to capture and does it.
func (w *watcher) step() (*hangreport.Report, error) {
	w.unsettled = w.stopper.DetachLate() > 0
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
	w.seeFree()
	return event, s, nil
}

// tell passes a line to Options.Tell, unless it is empty.
func (w *watcher) tell(line string) {
	if line != "" && w.options.Tell != nil {
		w.options.Tell(line)
	}
}

// periodic makes a report of one snapshot.
func (w *watcher) periodic() (*hangreport.Report, error) {
	r := &hangreport.Report{Reason: hangreport.Periodic, Thread: w.options.Thread}
	missed := w.schedule()
	w.series.Begin()
	w.save(r, time.Now())
	if missed > 0 {
		w.series.Note(fmt.Sprintf("%d reports were due since the last one and left out, for nothing ran then", missed))
	}
	err := w.take(nil)
	w.noteTraced()
	p := w.series.Profile() // before the recording ends: it is told the source then
	w.endSave(r)
	if len(p.Threads) == 0 {
		return nil, err
	}
	r.Start, r.Duration, r.Profile = p.Start, p.Duration(), p
	return r, err
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

// endSave ends the recording of a report.
func (w *watcher) endSave(r *hangreport.Report) {
	path, err := w.series.EndSaved()
	r.Recording, r.SaveErr = path, errors.Join(r.SaveErr, err)
}

// explain returns what it means that the thread is gone: it has ended, or its process has.
func (w *watcher) explain(err error) error {
	if !errors.Is(err, task.ErrThreadGone) {
		return err
	}
	if _, listErr := w.process.Threads(); listErr != nil {
		return listErr
	}
	return fmt.Errorf("thread %d of pid %d has ended: %w", w.options.Thread, w.process.Info().PID, ErrNoThread)
}
