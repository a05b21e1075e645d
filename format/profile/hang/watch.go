package hang

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"stacksnap/format/profile"
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
	// target is stopped, or was not looked at. May be nil.
	Tell func(line string)
}

// What stands in for options that are 0.
const (
	DefaultMaxHang  = 10 * time.Second
	DefaultInterval = 10 * time.Millisecond
)

// The finer rhythms: of looks between two snapshots, and of telling what every
// thread waits for.
const (
	looksPerSample = 4
	mostBetween    = 100 * time.Millisecond // two looks
	waitsEvery     = 500 * time.Millisecond
	fewThreads     = 32 // of so many it is told each time
	followTries    = 3  // of which each costs the samples of its time
)

// ErrNoThread says that a thread cannot be watched, for it has ended or never
// was.
var ErrNoThread = errors.New("no such thread to watch")

// Watch watches a thread until ctx is done, which is no error, or the target
// ends, which is a *[task.ExitedError]. Each hang is given to onReport once, when
// it has ended or has been sampled for MaxHang. An error of onReport ends the
// watch. Everything is done on the calling goroutine, but for the looks at a
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
	ctx      context.Context
	process  task.Process
	stopper  task.ThreadStopper
	options  Options
	clock    task.Clock
	alarm    *task.Alarm
	looker   *looker
	detector *Detector
	halt     halt
	tracing  tracing
	covered  coverage
	series   *capture.Series
	nextLook time.Duration
	nextTime time.Duration // of Every

	unsettled bool // threads of the last capture may still have to be let go of
}

func (w *watcher) close() {
	_ = w.alarm.Close()
	_ = w.looker.watch.Close()
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
	w := &watcher{ctx: ctx, process: p, options: o, stopper: p.Capabilities().Stopper, clock: o.Clock}
	if err := task.CanStop(p, task.SuspendTask); err != nil {
		return nil, err
	}
	if err := w.chooseThread(); err != nil {
		return nil, err
	}
	able := p.Capabilities()
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
	w.looker = newLooker(p, watch, w.clock, waits.NewJudge(p, w.series.Images))
	w.detector = NewDetector(o.Threshold)
	w.nextLook = w.clock.Now()
	w.nextTime = w.nextLook + o.Every
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

// look looks once.
func (w *watcher) look() (Event, Sight, error) {
	s, err := w.looker.look()
	if err != nil {
		return Nothing, s, err
	}
	stuck := w.detector.stuck
	event := w.detector.See(s)
	w.tell(w.covered.see(s, stuck, w.options.Threshold))
	w.nextLook = w.detector.Next()
	w.tell(w.halt.see(s, w.options.Threshold))
	w.seeFree()
	return event, s, nil
}

// tell tells a line, unless it is empty.
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

// explain tells what it means that the thread is gone.
func (w *watcher) explain(err error) error {
	if !errors.Is(err, task.ErrThreadGone) {
		return err
	}
	if _, listErr := w.process.Threads(); listErr != nil {
		return listErr
	}
	return fmt.Errorf("thread %d of pid %d has ended: %w", w.options.Thread, w.process.Info().PID, ErrNoThread)
}

// hanging is a hang that is being sampled.
type hanging struct {
	report    *hangreport.Report
	start     time.Duration
	before    task.Counters // at the start
	now       task.Counters
	spent     spending // where our stops did not disturb it
	stops     disturbance
	looked    time.Duration // when the thread was last looked at
	nextWaits time.Duration
	follows   int           // how often its wait was followed
	nextTry   time.Duration // of that
	alive     bool          // the thread was met in its run loop, only that it never had to wait there
	wait      WaitKind
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
				w.nextLook = w.detector.Next()
				w.series.DropSaved()
				return nil, nil
			}
			w.followWaits(h, now)
			h.stops.sampled(w.series.Stopped(), w.clock.Now())
			nextSample = h.stops.next(now, w.options.Interval)
		}
		w.clock.SleepUntil(min(nextSample, w.clock.Now()+betweenLooks(w.options.Interval)))
		event, s, err := w.look()
		switch h.see(s); {
		case err != nil:
			return w.end(h, "the thread ended"), err
		case event == Recovered && s.Wait == Halted:
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

// betweenLooks is the time between two looks at a thread that is stuck, by that between two
// snapshots: however long that is, the end of the hang, or of the watch, is seen soon.
func betweenLooks(interval time.Duration) time.Duration {
	return min(max(shortest, interval/looksPerSample), mostBetween)
}

func (w *watcher) begin() *hanging {
	h := &hanging{}
	h.start, h.before = w.detector.Away()
	h.now, h.looked = w.detector.prev.Counters, w.detector.prev.At
	if ran := h.now.CPU - h.before.CPU; h.now.CPU > 0 {
		h.spent.add(h.looked-h.start, ran+h.now.Queued-h.before.Queued, ran)
	}
	h.stops = newDisturbance(h.start, h.looked)
	w.tracing.restart(w.clock.Now())
	h.report = &hangreport.Report{Reason: hangreport.Hang, Thread: w.options.Thread, Start: time.Now().Add(h.start - w.clock.Now())}
	w.series.Begin()
	w.save(h.report, h.report.Start)
	return h
}

// see adds up how the thread spends the time since the last look, for which this one
// stands: the counters do not tell. It leaves out what our stops disturbed.
func (h *hanging) see(s Sight) {
	counted := s.Counters.CPU > 0
	var ran time.Duration
	if counted {
		ran = s.Counters.CPU - h.now.CPU
		h.now = s.Counters
	}
	since := max(0, s.At-h.looked)
	h.looked, h.wait = max(h.looked, s.At), s.Wait
	switch {
	case h.stops.see(s, ran):
	case s.Wait == NoWait:
		h.spent.add(since, since, ran)
	default:
		h.spent.add(since, 0, ran)
	}
}

// sample takes a snapshot and notes what the thread does. What others wait for
// is told at once, and then from time to time.
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
	h.report.Note(now-h.start, function, wait, known)
	if t.State == task.Running && inLoop(function) {
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

// inLoop reports whether a function is that of a run loop's call.
func inLoop(function string) bool {
	name := strings.TrimPrefix(strings.TrimLeft(function, "_"), "GI_")
	return waits.ClassifyNamed(strings.TrimLeft(name, "_"), [6]uint64{}) == waits.Loop
}

// harmless reports whether the last sample finds a wait, and not for a lock.
func harmless(r *hangreport.Report) bool {
	n := len(r.Phases)
	return n > 0 && r.Phases[n-1].Wait != nil && r.Phases[n-1].Wait.Lock == profile.NoLock
}

// kind judges how the thread spent the hang. Where the system counts no CPU
// times it is known since the hang was found, and a processor that was waited for
// is not told from one that was had.
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
	if len(r.Phases) == 0 && w.tracing.missed(w.clock.Now()) > 0 && h.wait == OtherWait {
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
