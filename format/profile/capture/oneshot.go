package capture

import (
	"errors"
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture/goroutines"
	"stacksnap/format/profile/waits"
	"stacksnap/format/profile/waits/across"
	"stacksnap/task"
	"stacksnap/task/recording"
	"stacksnap/unwind"
)

// OneShot takes one snapshot of every thread at one instant, and keeps the wanted threads. It
// ignores the options about sampling, except that with [task.SuspendNone] nothing is stopped
// where that is possible. On an error the profile has what was captured before it; it is nil
// when nothing was.
func OneShot(p task.Process, o Options) (*profile.Profile, error) {
	s := newShot(p, o)
	s.alone = true
	defer s.close()
	captureAll([]*shot{s})
	if !o.StacksAlone {
		until := time.Now().Add(peerLimit)
		s.resolvePeers()
		s.findHung()
		s.findStalled(until)
	}
	s.addTasks()
	return s.finish()
}

// addTasks adds the tasks that no thread runs, if all threads are wanted. The target runs
// meanwhile.
func (s *shot) addTasks() {
	if s.target == nil || s.err != nil || s.wanted != nil {
		return
	}
	s.target.addTasks(&goroutines.Source{Snapshot: true, Threads: s.snapshot.Threads, Stacks: s.stacks})
}

// peerLimit is how long finding the peers of one process's threads may take.
const peerLimit = 200 * time.Millisecond

// resolvePeers fills in [profile.Wait].Peer if that takes no longer than peerLimit. The target
// runs meanwhile.
func (s *shot) resolvePeers() {
	g := &several{shots: []*shot{s}, limit: peerLimit}
	g.resolvePeers()
}

// findStalled fills in [profile.Wait].Stalled for a main thread that waits for events, if that
// is known by until. On Linux the main thread's id is the pid. The target runs meanwhile.
func (s *shot) findStalled(until time.Time) {
	if !s.whole() {
		return
	}
	for _, l := range s.looks {
		if int(l.Thread) == s.pid && waits.IsForEvents(l.Wait) && l.Wait.Peer.PID == 0 {
			l.Wait.Stalled = across.Stalled(s.process, until)
		}
	}
}

// shot stops a process for a snapshot of all its threads at one instant, and again until every
// stack is copied to its end. It shows a thread in unknown code as such. A [Series] takes one
// snapshot after another with it.
type shot struct {
	*target  // nil: the capture could not begin
	pid      int
	snapshot task.Snapshot
	parts    *task.Parts    // the parts of the snapshot; nil: it is taken by one stop
	looks    []profile.Look // observations of the snapshot's threads
	once     bool           // it is the only snapshot
	alone    bool           // of one process only
	stops    int            // how often all threads were stopped for it, where it has no parts
	err      error

	// blocked is what [task.Capabilities].NoteBlocked returned; nil: it is not known who was
	// blocked.
	blocked func(stops map[task.ThreadID]int) map[task.ThreadID]time.Duration
}

func newShot(p task.Process, o Options) *shot {
	s := &shot{pid: p.Info().PID, once: true}
	wanted, err := wantedThreads(&o.Threads, p)
	if err != nil {
		s.err = err
		return s
	}
	how := task.SuspendTask
	if o.Suspend == task.SuspendNone && p.Capabilities().Partial {
		how = o.Suspend
	}
	if s.err = task.CanStop(p, how); s.err != nil {
		return s
	}
	if s.err = s.begin(p, o); s.err == nil {
		s.wanted = s.alsoMeets(wanted)
	}
	return s
}

// begin reads what can be read before the first snapshot, so that there are names even if the
// process ends right after it.
func (s *shot) begin(p task.Process, o Options) error {
	t, err := newTarget(p, o, 0)
	if err != nil {
		return err
	}
	t.maxCopy = task.MaxStackLimit
	task.SetLimits(p, task.Limits{NoStop: o.Suspend == task.SuspendNone})
	s.target = t
	s.snapshot = task.Snapshot{
		Want: map[task.ThreadID][]task.Addr{}, Unhurried: o.Suspend == task.SuspendNone,
		Skip: true, Insist: map[task.ThreadID]bool{},
	}
	for _, problem := range p.Info().Problems {
		t.note(problem.Error())
	}
	t.start(t.countStop)
	t.tracker.single = true
	return nil
}

// captureAll takes a snapshot of each process, close together.
func captureAll(some []*shot) {
	for _, step := range []func(*shot) error{(*shot).prepare, (*shot).stop} {
		for _, s := range some {
			if s.err == nil {
				s.err = step(s)
			}
		}
	}
	for _, s := range some {
		s.complete()
	}
}

// prepare does what can be done before the stop.
func (s *shot) prepare() error {
	// Nothing of the last snapshot belongs to this one, even if this one fails.
	s.snapshot.Threads, s.stacks, s.looks, s.questions = s.snapshot.Threads[:0], s.stacks[:0], s.looks[:0], nil
	s.tracker.refresh()
	s.snapshot.Watch = s.watchAll()
	ids, err := s.process.Threads()
	if err != nil {
		return err
	}
	if s.parts = task.Divide(s.process, ids, s.options.MaxStop); s.parts != nil {
		return nil
	}
	s.snapshot.Part = nil
	s.noteBlocked(ids)
	s.snapshot.PrepareFor(s.process, ids) // last, because the states of threads change
	return nil
}

// noteBlocked records which threads are blocked, before a stop wakes them.
func (s *shot) noteBlocked(ids []task.ThreadID) {
	if note := s.process.Capabilities().NoteBlocked; s.once && note != nil && !s.options.StacksAlone {
		s.stops, s.blocked = 1, note(ids)
	}
}

// leastNotRun is how long a thread must not have run for that to be worth mentioning.
const leastNotRun = 2 * time.Second

// readNotRun reads how long threads that wait or are stopped had not run before the snapshot.
// The target runs meanwhile.
func (s *shot) readNotRun() {
	if s.blocked == nil {
		return
	}
	stops := map[task.ThreadID]int{}
	for i := range s.snapshot.Threads {
		switch t := &s.snapshot.Threads[i]; {
		case t.State == task.Running:
		case t.Skipped || t.Unstopped:
			stops[t.ID] = 0
		default:
			stops[t.ID] = s.stops
		}
	}
	notRun := s.blocked(stops)
	for i := range s.snapshot.Threads {
		t := &s.snapshot.Threads[i]
		if d := notRun[t.ID]; d >= leastNotRun {
			t.NotRun = d.Truncate(time.Microsecond) // as in a recording
		}
	}
}

// stop stops the target and copies its threads.
func (s *shot) stop() error {
	if s.parts != nil {
		return s.takeParts()
	}
	return s.snapshot.TakePrepared(s.process)
}

// complete walks what was copied, stops the process again for what is missing, and finds out
// what the threads wait for.
func (s *shot) complete() {
	if s.target == nil {
		return
	}
	if s.parts == nil { // otherwise each part is complete already
		s.err = s.completeStop(s.err)
	}
	if s.err == nil {
		s.looks, s.questions = s.waitsOf(s.wanted)
		s.settleStates()
		s.readLifetimes()
		s.readNotRun()
		s.checkDeadlocks()
	}
}

// settleStates corrects the states of threads that were runnable when they were read before the
// stop, but were found waiting in the stop.
func (s *shot) settleStates() {
	waits := map[task.ThreadID]bool{}
	for _, l := range s.looks {
		waits[l.Thread] = l.Wait != nil
	}
	for i := range s.snapshot.Threads {
		if t := &s.snapshot.Threads[i]; t.State == task.Running && waits[t.ID] && !t.HasEnded {
			t.State, t.OnCPUState, t.Processor = task.Sleeping, task.OnCPUUnknown, 0
		}
	}
}

// readLifetimes reads the counts of the threads that did not sleep: they show whether a thread
// is always busy. For many snapshots, the times between them show more.
func (s *shot) readLifetimes() {
	lifetime := s.process.Capabilities().Lifetime
	if !s.once || lifetime == nil {
		return
	}
	for i := range s.snapshot.Threads {
		if t := &s.snapshot.Threads[i]; t.State == task.Running || t.State == task.Uninterruptible {
			if l, ok := lifetime(t.ID); ok { // otherwise it may have ended
				t.Lifetime = &l
			}
		}
	}
}

var errRemapped = errors.New("the code that the thread was in was being loaded or unloaded, each time that it was stopped")

// cutAll drops the stacks that lead through code of which it is not known what it was; on
// Darwin, where that is known for each frame, only from the first such frame on.
func (s *shot) cutAll() {
	for i := range s.stacks {
		t := &s.snapshot.Threads[i]
		if s.isRemapped(&s.snapshot, i) && !s.cut(t, &s.stacks[i]) {
			t.Registers, t.Stacks, t.Err = task.Registers{}, nil, errRemapped
			s.stacks[i] = profile.Stack{Stop: unwind.Stop{Reason: unwind.NoRegisters, Err: errRemapped}}
		}
	}
}

// add adds the snapshot and its stacks to the profile and the recording.
func (s *shot) add() error {
	s.noteKernel(s.options.lacksKernel(&s.snapshot))
	return s.merge(&s.snapshot, s.looks, true)
}

// finish makes the profile.
func (s *shot) finish() (*profile.Profile, error) {
	if s.target == nil {
		return nil, s.err
	}
	if only := s.onlyErr(); s.err == nil && only != nil {
		s.err, s.snapshot.Threads = only, nil
	}
	if s.err != nil && len(s.snapshot.Threads) == 0 {
		return nil, errors.Join(s.err, s.saving.close(recording.End{}))
	}
	s.stacks = keep(&s.snapshot, s.stacks, s.wanted)
	s.note(exitedLine(s.stacks))
	err := errors.Join(s.err, s.add())
	made, unsaved := s.target.finish(recording.End{})
	return made, errors.Join(err, unsaved)
}

// exitedLine returns a note if a walk found that the target had exited, so that what was not copied
// in the stop could not be read; "" if none did.
func exitedLine(stacks []profile.Stack) string {
	isExit := func(err error) bool { return errors.As(err, new(*task.ExitedError)) }
	for i := range stacks {
		s := &stacks[i]
		if isExit(s.Stop.Err) || slices.ContainsFunc(s.Frames, func(f unwind.Frame) bool { return isExit(f.Err) }) {
			return "the target exited while it was captured, or called exec: callers and lines of code may be missing"
		}
	}
	return ""
}

// close gives back what a profile is made of.
func (s *shot) close() {
	if s.target != nil {
		s.tracker.close()
		*s = shot{pid: s.pid, err: s.err}
	}
}

// KernelThreads makes a profile of threads that are only in the kernel, so that nothing has to
// be stopped, copied or walked. lacks says what is not known of them.
func KernelThreads(info task.Info, threads []task.Thread, lacks string, o Options) (*profile.Profile, error) {
	b := profile.NewBuilder(info, o.Tool)
	if err := o.Threads.Check(); err != nil {
		return nil, err
	}
	wanted := o.Threads.By(task.ThreadID(info.PID))
	s := task.Snapshot{Time: time.Now()}
	for i := range threads {
		if wanted == nil || wanted(&threads[i]) {
			s.Threads = append(s.Threads, threads[i])
		}
	}
	if lacks != "" {
		b.Note(lacks)
	}
	b.AddEach(&s, nil, func(i int) profile.Stack {
		return profile.Stack{Stop: unwind.Stop{Err: s.Threads[i].Err}}
	})
	return b.Profile(), nil
}
