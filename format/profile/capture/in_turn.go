package capture

import (
	"errors"
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits/across"
	"stacksnap/images"
	"stacksnap/task"
)

// Steps is the recording of one of many processes that are sampled in turn: Step takes each
// snapshot. Nothing is stopped.
type Steps struct {
	recorder *recorder
	stepper  *task.Stepper
	observed bool // the kernel copies running threads
	lacked   int  // stacks without frames in the kernel, in the last snapshot
	looks    []profile.Look
	ended    bool
}

// InTurn makes recordings of many processes that are sampled in turn. They share the options,
// and the time for finding what threads wait for.
type InTurn struct {
	options Options
	used    time.Duration // CPU time of this program before
	credit  credit
}

// NewInTurn returns an InTurn whose recordings have the options o. It ignores the options on
// stops, Save, Duration, Count, Jitter, Progress, Taken and Alone.
func NewInTurn(o Options) *InTurn {
	o.Save, o.SaveTo, o.Suspend, o.Duration, o.Progress, o.Taken = "", nil, task.SuspendNone, 0, nil, nil
	o.ToEnd, o.Files = true, new(images.Files)
	return &InTurn{options: o, used: OwnCPU()}
}

// OwnCPU returns the CPU time that this program has used since NewInTurn.
func (t *InTurn) OwnCPU() time.Duration { return OwnCPU() - t.used }

// Begin begins the recording of a process.
func (t *InTurn) Begin(p task.Process) (*Steps, error) {
	r, err := newRecorder(p, t.options)
	if err != nil {
		return nil, err
	}
	r.rounds.credit = &t.credit
	stepper, err := task.NewStepper(p, task.Options{
		Interval: t.options.Interval, Suspend: task.SuspendNone, Threads: r.captured(), Watch: r.watch,
	})
	if err != nil {
		r.tracker.close()
		return nil, err
	}
	return &Steps{recorder: r, stepper: stepper}, nil
}

// Step takes a snapshot; missed counts the ticks that were skipped before it. An error ends the
// recording, for example because the process has exited: see End.
func (s *Steps) Step(missed int) error {
	snapshot, still, err := s.stepper.Next()
	s.recorder.missedTicks += missed
	snapshot.MissedTicks = missed
	switch {
	case still:
		s.addStill(snapshot)
	case err == nil, len(snapshot.Threads) > 0 && !isExit(err):
		err = errors.Join(err, s.add(snapshot))
	}
	s.ended = err != nil
	return err
}

// add adds a snapshot. As soon as there are running threads, the kernel is asked to copy them.
func (s *Steps) add(snapshot *task.Snapshot) error {
	lacked := s.recorder.lackKernel
	err := s.recorder.add(snapshot)
	s.lacked = s.recorder.lackKernel - lacked
	isRunning := func(t task.Thread) bool { return t.State == task.Running }
	if !s.observed && slices.ContainsFunc(snapshot.Threads, isRunning) {
		s.observed = true
		s.recorder.observe()
	}
	return err
}

// addStill adds a snapshot in which nothing has changed.
func (s *Steps) addStill(snapshot *task.Snapshot) {
	r := s.recorder
	r.builder.AddChanged(snapshot, r.tracker.images, nil, nil)
	r.lackKernel += s.lacked
	r.taken++
}

// Note adds a line for readers of the report.
func (s *Steps) Note(line string) { s.recorder.note(line) }

// Ask finds out, at the end, what the threads wait for, and for which other processes, in the
// recordings that have not ended.
func Ask(all []*Steps) {
	var members []across.Member
	for _, s := range all {
		if r := s.recorder; r.last != nil && !s.ended {
			s.looks = r.lookAtAll()
			members = append(members, across.Member{Process: r.process, Threads: r.last.Threads, Queries: r.questions})
		}
	}
	across.Resolve(members, 0)
	for _, s := range all {
		if slices.ContainsFunc(s.looks, hasPeer) {
			s.Note(askedAtEnd)
		}
	}
}

// End returns the profile; nil if there was no snapshot. The process may be closed afterwards.
func (s *Steps) End() *profile.Profile {
	r := s.recorder
	s.stepper.End()
	defer r.tracker.close()
	made, _ := r.finish(s.looks, r.missedTicks, 0, nil) // only a recording that is saved can fail
	return made
}
