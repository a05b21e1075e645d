package capture

import (
	"errors"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/task/recording"
)

// OneShot takes one snapshot of every thread at one instant, and keeps those that
// are wanted; of the options, those about sampling do not matter, but that by
// [task.SuspendNone] nothing is stopped where that is possible. On an error the
// profile has what was captured before it; it is nil when nothing was.
func OneShot(p task.Process, o Options) (*profile.Profile, error) {
	s := newShot(p, o)
	s.do((*session).prepare)
	s.do((*session).stop)
	s.walk()
	return s.finish()
}

// shot is a snapshot under way.
type shot struct {
	*session // nil: none could begin
	pid      int
	wanted   func(*task.Thread) bool
	err      error
}

func newShot(p task.Process, o Options) *shot {
	s := &shot{pid: p.Info().PID}
	if s.wanted, s.err = o.Threads.filter(p); s.err != nil {
		return s
	}
	how := task.SuspendTask
	if o.Suspend == task.SuspendNone && p.Capabilities().Partial {
		how = o.Suspend
	}
	if s.err = task.CanStop(p, how); s.err != nil {
		return s
	}
	s.session, s.err = newSession(p, o)
	return s
}

// do does the next step, if there was no error before.
func (s *shot) do(step func(*session) error) {
	if s.err == nil {
		s.err = step(s.session)
	}
}

// walk walks what was captured, and asks what the threads wait for.
func (s *shot) walk() {
	if s.session == nil {
		return
	}
	if s.err = s.complete(s.err); s.err == nil {
		s.findWaits(s.wanted)
	}
}

// finish makes the profile.
func (s *shot) finish() (*profile.Profile, error) {
	if s.session == nil {
		return nil, s.err
	}
	if s.err != nil && len(s.snapshot.Threads) == 0 {
		return nil, errors.Join(s.err, s.saving.close(recording.End{}))
	}
	s.stacks = keep(&s.snapshot, s.stacks, s.wanted)
	err := errors.Join(s.err, s.add())
	s.follow.noteShort()
	made := s.saving.profile(s.builder)
	return made, errors.Join(err, s.saving.close(recording.End{}))
}

// close gives back what a profile is made of.
func (s *shot) close() {
	if s.session != nil {
		s.follow.close()
		s.session = nil
	}
}
