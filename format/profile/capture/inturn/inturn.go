// Package inturn samples many processes in turn, with those that begin meanwhile, and
// stops none of them.
package inturn

import (
	"context"
	"errors"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
)

// Field says which processes are sampled, and how they are listed and opened.
type Field struct {
	List  func() ([]int, error) // the pids of those that are there now; others may be among them
	Every time.Duration         // from one listing to the next
	// Look opens a process of which nothing is to be stopped. Sealed says why its stacks may not
	// be read; nil where they may.
	Look func(pid int) (p task.Process, sealed, err error)
	Most int // processes that may be open at a time
}

// The bounds of what a survey costs.
const (
	maxShare   = 4    // one part in so many of the time of one processor
	openShare  = 4    // of an interval, for opening processes that are new
	maxMembers = 4096 // recorded in all
)

// Result is what came of a survey.
type Result struct {
	Profiles []*profile.Profile // those of processes that have ended first
	Missing  []profile.Missing
	More     int // processes beyond those that are recorded
	Found    int // processes that could be opened
	Sealed   int // of them, processes whose stacks may not be read
	Refusal  error
	Notes    []string
}

// Record samples the processes of a field. Of the options those on stops and Save do not
// matter. When ctx is done it returns what there is. The error is that of the first
// listing.
func Record(ctx context.Context, f Field, o capture.Options) (*Result, error) {
	s := &survey{
		field: f, options: o, together: capture.NewInTurn(o), result: &Result{},
		now: map[int]*member{}, past: map[int]bool{}, waiting: map[int]bool{},
	}
	if err := s.find(); err != nil {
		return nil, err
	}
	s.admit(func() bool { return ctx.Err() == nil })
	s.sample(ctx)
	if o.Taken != nil {
		o.Taken()
	}
	s.end()
	return s.result, nil
}

// survey is a recording under way.
type survey struct {
	field    Field
	options  capture.Options
	together *capture.InTurn
	order    []*member // that are recorded
	now      map[int]*member
	past     map[int]bool // pids that are there, and are none to record
	waiting  map[int]bool // pids for which there was no time yet
	queue    []int        // of them, the first found first
	lost     int          // that ended before there was time for them
	result   *Result

	began  time.Time
	used   time.Duration // CPU time, before that
	listed time.Time
	taken  int
	missed int
}

// sample looks at all processes, again and again.
func (s *survey) sample(ctx context.Context) {
	o := &s.options
	s.began, s.used = time.Now(), s.together.OwnCPU()
	var took time.Duration
	for missed := range task.TicksWithin(ctx, task.Options{
		Interval: o.Interval, Duration: o.Duration, Count: o.Count, Jitter: o.Jitter,
		Ended: func(missed int) { s.missed += missed },
	}, maxShare, &took) {
		took = s.turn(missed)
	}
	if s.taken == 0 {
		s.look(0) // the context was done before
	}
}

// turn looks at each process once, and returns how much time that is to be made up for:
// that on processors, and not how long it took beside what else runs.
func (s *survey) turn(missed int) time.Duration {
	used := s.together.OwnCPU()
	s.renew(time.Now())
	s.look(missed)
	if s.options.Progress != nil {
		s.options.Progress(time.Since(s.began), s.taken)
	}
	if s.taken == 1 {
		return 0 // all was read for it, which is never done again
	}
	return s.together.OwnCPU() - used
}

// renew takes up processes that are new, as far as there is time.
func (s *survey) renew(now time.Time) {
	if now.Sub(s.listed) >= s.field.Every {
		_ = s.find() // or else the next time
	}
	end := now.Add(s.options.Interval / openShare)
	s.admit(func() bool { return time.Now().Before(end) })
}

// look takes a snapshot of each process.
func (s *survey) look(missed int) {
	s.taken++
	s.missed += missed
	kept := s.order[:0]
	for _, m := range s.order {
		err := m.steps.Step(missed)
		if err == nil {
			kept = append(kept, m)
			continue
		}
		why := "it ended, or called exec,"
		if !errors.As(err, new(*task.ExitedError)) {
			why = err.Error() + ","
		}
		m.steps.Note(why + " " + s.since() + " after the sampling had begun")
		s.leave(m)
	}
	clear(s.order[len(kept):])
	s.order = kept
}

// leave takes leave of a process.
func (s *survey) leave(m *member) {
	if made := m.end(); made != nil {
		s.result.Profiles = append(s.result.Profiles, made)
	}
	delete(s.now, m.pid)
}

// end ends all that go on.
func (s *survey) end() {
	all := make([]*capture.Steps, len(s.order))
	for i, m := range s.order {
		all[i] = m.steps
	}
	capture.Ask(all)
	for _, m := range s.order {
		s.leave(m)
	}
	s.order = nil
	s.note()
}

// since is how long the sampling has gone on.
func (s *survey) since() string { return time.Since(s.began).Round(time.Millisecond).String() }
