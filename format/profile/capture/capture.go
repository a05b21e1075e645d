// Package capture turns a process into a profile: it takes snapshots, walks the
// stacks that they copied, and stops the process again, for longer copies, where
// a stack went on beyond the first.
package capture

import (
	"errors"
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
	"stacksnap/unwind/rule"
)

const maxStops = 5 // of one snapshot, until every stack is copied

// session is what is kept of one process from one stop to the next.
type session struct {
	process  task.Process
	options  Options
	builder  *profile.Builder
	unwinder *unwind.Unwinder
	follow   *follower
	snapshot task.Snapshot
	stacks   []profile.Stack
	lacking  []task.ThreadID // those of the snapshot of which another stop would tell more
	parts    *task.Parts     // in which the snapshot is taken; nil: by one stop
	looks    []profile.Look  // at threads of the snapshot

	questions []waits.Question // that these leave open
	saving    *saving
	code      *codeMemory
}

func newSession(p task.Process, o Options) (*session, error) {
	lacks, err := o.askKernel(p)
	if err != nil {
		return nil, err
	}
	task.SetLimits(p, task.Limits{Gate: o.Gate, MaxCopy: o.MaxStop, NoStop: o.Suspend == task.SuspendNone})
	s := &session{process: p, options: o, builder: profile.NewBuilder(p.Info(), o.Tool), code: &codeMemory{live: p.Memory()}}
	o.keepTimelines(s.builder)
	s.snapshot.Want = map[task.ThreadID][]task.Addr{}
	s.snapshot.Unhurried = o.Suspend == task.SuspendNone
	s.snapshot.Spare, s.snapshot.Insist = true, map[task.ThreadID]bool{}
	if s.saving, err = newSaving(p, s.code, &o, 0); err != nil {
		return nil, err
	}
	for _, problem := range p.Info().Problems {
		s.note(problem.Error())
	}
	if lacks != "" {
		s.note(lacks)
	}
	tries := 1
	if p.Info().Live {
		tries = 2 // it may change meanwhile
	}
	s.follow = &follower{
		process: p, note: s.note, stood: s.countStop, saving: s.saving, code: s.code, tries: tries, single: true,
		find: o.finder(), from: o.Binaries,
	}
	s.follow.start() // so that there are names even if the target does not live to tell them after the first stop
	s.place()
	return s, nil
}

// note tells a reader of the report, and of the recording, a line.
func (s *session) note(line string) {
	s.builder.Note(line)
	s.saving.note(line)
}

// place makes what is walked with: anew for each recording, for it is to be told
// all that is asked, and an unwinder does not ask again for what it remembers.
func (s *session) place() {
	if s.follow.saving != s.saving {
		s.follow.place(s.saving)
	}
	s.unwinder = unwind.New(unwind.Options{
		CodeMask:   s.process.Info().CodeMask,
		Executable: func(a task.Addr) bool { return s.follow.layout.executable(a) },
	})
}

// take stops the target until every stack is copied to its end, and it is known
// what code was mapped then. A repetition that fails leaves what the stop before
// it gave.
func (s *session) take() error {
	err := s.prepare()
	if err == nil {
		err = s.stop()
	}
	return s.complete(err)
}

// prepare does what can be done before the stop.
func (s *session) prepare() error {
	s.looks, s.questions = s.looks[:0], nil
	s.follow.saving = s.saving
	s.follow.refresh()
	s.snapshot.Watch = s.follow.watchAll()
	ids, err := s.process.Threads()
	if err != nil {
		return err
	}
	if s.parts = task.Divide(s.process, ids, s.options.MaxStop); s.parts != nil {
		return nil
	}
	s.snapshot.Part = nil
	s.snapshot.PrepareFor(s.process, ids)
	return nil
}

// stop stops the target and copies.
func (s *session) stop() error {
	if s.parts != nil {
		return s.takeParts()
	}
	return s.snapshot.TakePrepared(s.process)
}

// complete walks what was copied, and stops the target again for what is missing.
// Err is that of the first stop.
func (s *session) complete(err error) error {
	if s.parts != nil {
		return err // each part was
	}
	return s.completeStop(err)
}

func (s *session) completeStop(err error) error {
	defer s.cut()
	s.follow.begin(&s.snapshot)
	again, v := s.walk()
	for stop := 1; err == nil && (again || v == exchanged) && stop < maxStops; stop++ {
		err = s.takeAgain(v)
		again, v = s.walk()
	}
	return err
}

// takeAgain takes the snapshot once more, after a walk with a verdict.
func (s *session) takeAgain(v verdict) error {
	if v == exchanged {
		s.follow.reread()
	}
	again := task.Snapshot{
		Limit: s.snapshot.Limit, Want: s.snapshot.Want, Watch: s.follow.watchAll(),
		Spare: s.snapshot.Spare, Insist: s.snapshot.Insist, Unhurried: s.snapshot.Unhurried,
	}
	var err error
	if s.parts != nil {
		err = s.takePartAgain(v, &again)
	} else if err = task.Take(s.process, &again); err == nil && len(again.Threads) > 0 {
		s.countSnapshot()
		keepFacts(&again, &s.snapshot)
		s.snapshot = again
	}
	s.follow.begin(&s.snapshot)
	return err
}

// countSnapshot counts the stop of a snapshot that is not used.
func (s *session) countSnapshot() {
	if s.snapshot.Stopped > 0 {
		s.countStop(s.snapshot.Stopped)
	}
}

// countStop counts a stop besides those of the snapshots.
func (s *session) countStop(stood time.Duration) {
	s.builder.CountStop(stood)
	s.saving.stopped(stood)
}

// keepFacts takes over what the threads did before the first stop, for after it
// they run because they have been stopped. But what one did then is not of its stack
// now if it sleeps by now, or slept and has gone on.
func keepFacts(s, before *task.Snapshot) {
	for i := range s.Threads {
		t := &s.Threads[i]
		j := slices.IndexFunc(before.Threads, func(b task.Thread) bool { return b.ID == t.ID })
		if j < 0 {
			continue
		}
		b := &before.Threads[j]
		t.User, t.System = b.User, b.System
		if t.State == task.Running && (b.State == task.Running || !hasMoved(t, b)) {
			t.State, t.Turn, t.Processor = b.State, b.Turn, b.Processor
		}
		if t.Call.State != task.InCall && t.Registers == b.Registers {
			t.Call = b.Call
		}
		if len(t.Kernel) == 0 && t.Registers == b.Registers {
			t.Kernel = b.Kernel
		}
	}
}

// hasMoved reports whether a thread is elsewhere than before. A stop leaves it at the
// instruction that enters the kernel, or the next.
func hasMoved(t, before *task.Thread) bool {
	const longest = 4 // of such instructions
	now, then := &t.Registers, &before.Registers
	if now.Known == 0 || then.Known == 0 {
		return false
	}
	return now.SP() != then.SP() || now.PC()-then.PC()+longest > 2*longest
}

// walk walks every stack in the images that were mapped when it was copied. It
// reports whether another stop would copy more of one: Limit and Want then say
// what; and whether all of them are those images.
func (s *session) walk() (again bool, v verdict) {
	again, v = s.walkAll()
	if v == generatedCode {
		s.follow.reread()
		again, v = s.walkAll()
	}
	if v == exchanged && s.follow.adopt(&s.snapshot, s.isExchanged) {
		again, v = s.walkAll()
	}
	return again, v
}

func (s *session) walkAll() (again bool, worst verdict) {
	s.stacks, s.lacking = s.stacks[:0], s.lacking[:0]
	for i := range s.snapshot.Threads {
		t := &s.snapshot.Threads[i]
		frames, stop := s.unwinder.Walk(nil, t, s.follow.images, s.saving.memory(s.code))
		s.stacks = append(s.stacks, profile.Stack{Frames: frames, Stop: stop})
		if s.askFor(t, frames, stop) {
			again = true
			s.lacking = append(s.lacking, t.ID)
		}
		worst = max(worst, s.follow.check(t, frames, stop))
	}
	return again, worst
}

// askFor notes what another stop of a thread would tell more, and whether it would.
func (s *session) askFor(t *task.Thread, frames []unwind.Frame, stop unwind.Stop) bool {
	switch {
	case stop.Reason == unwind.NotCaptured && t.Err == nil: // else more was not to be had
		return want(&s.snapshot, t, frames, stop.Need, task.MaxStackLimit)
	case t.Spared && t.State != task.Uninterruptible && s.options.Suspend != task.SuspendNone && !isWhole(frames, stop): // such a thread does not stop
		s.snapshot.Insist[t.ID] = true
		return true
	}
	return false
}

// isWhole reports whether a walk needed nothing that it had not: with all registers
// it would have been the same. Where code has no unwind information, the stack and
// the frame pointer, once that is known, are all that leads on.
func isWhole(frames []unwind.Frame, stop unwind.Stop) bool {
	return stop.Reason == unwind.Bottom && !slices.ContainsFunc(frames, func(f unwind.Frame) bool {
		return f.By.Guess() || errors.Is(f.Err, rule.ErrUnknownRegister)
	})
}

func (s *session) isExchanged(i int) bool {
	return s.follow.check(&s.snapshot.Threads[i], s.stacks[i].Frames, s.stacks[i].Stop) == exchanged
}

var errExchanged = errors.New("the code that the thread was in was being loaded or unloaded, each time that it was stopped")

// cut drops the stacks that are in code of which it is not known what it was; on
// Darwin, where it is known of each frame, from the first such frame on.
func (s *session) cut() {
	for i := range s.stacks {
		if s.isExchanged(i) {
			t := &s.snapshot.Threads[i]
			if t.Sure = s.follow.countSure(t, &s.stacks[i]); t.Sure > 0 {
				cutUnsure(t, &s.stacks[i])
				continue
			}
			t.Registers, t.Stacks, t.Err = task.Registers{}, nil, errExchanged
			s.stacks[i] = profile.Stack{Stop: unwind.Stop{Reason: unwind.NoRegisters, Err: errExchanged}}
		}
	}
}

// findWaits asks what each thread waits for, or each of which that is wanted, and
// then the owners of locks on which those wait, while the target runs on.
func (s *session) findWaits(wanted func(*task.Thread) bool) { s.looks, s.questions = s.waitsOf(wanted) }

// waitsOf asks as findWaits does, and returns what was found and what is left open.
func (s *session) waitsOf(wanted func(*task.Thread) bool) (looks []profile.Look, open []waits.Question) {
	finder := waits.New(s.process, s.follow.images, s.snapshot.Threads)
	asked := make([]bool, len(s.stacks))
	var ask func(i int)
	ask = func(i int) {
		asked[i] = true
		t := &s.snapshot.Threads[i]
		w, settled := finder.Find(t, s.stacks[i].Frames)
		if !settled && w == nil {
			return
		}
		looks = append(looks, profile.Look{Thread: t.ID, Wait: w})
		if owner := s.owner(w); owner >= 0 && !asked[owner] {
			ask(owner)
		}
	}
	for i := range s.stacks {
		if !asked[i] && (wanted == nil || wanted(&s.snapshot.Threads[i])) {
			ask(i)
		}
	}
	return looks, finder.Questions()
}

// owner is where in the snapshot the thread is that holds what is waited for; -1
// where none is known.
func (s *session) owner(w *profile.Wait) int {
	if w == nil || w.Owner == 0 {
		return -1
	}
	return slices.IndexFunc(s.snapshot.Threads, func(t task.Thread) bool { return t.ID == w.Owner })
}

// add puts the snapshot and its stacks into the profile, and the recording.
func (s *session) add() error {
	noteKernel(s.options.lacksKernel(&s.snapshot), s.note)
	s.follow.name(s.builder)
	s.builder.Add(&s.snapshot, s.stacks, s.follow.images)
	s.builder.Look(s.looks, true)
	s.saving.tell(s.follow.layout)
	return s.saving.add(&s.snapshot, s.stacks, s.follow.images, s.looks, true)
}

const libdispatch = "libdispatch.dylib"

// dataSymbols is a file that can look for a variable.
type dataSymbols interface {
	DataSymbol(name string) (vmaddr uint64, ok bool)
}

// nameQueues tells the process where libdispatch describes its queues. Without
// it the queues have no names.
func nameQueues(p task.Process, m *images.Map) {
	l := p.Capabilities().Loader
	if l == nil {
		return
	}
	for _, im := range m.Images {
		if f, ok := im.File.(dataSymbols); ok && im.Name() == libdispatch {
			if vmaddr, ok := f.DataSymbol("_dispatch_queue_offsets"); ok {
				_ = l.SetQueueOffsets(im.Addr(vmaddr)) // a library that is not understood costs the names only
			}
		}
	}
}
