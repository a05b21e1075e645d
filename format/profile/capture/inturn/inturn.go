// Package inturn samples many processes in turn, including those that start meanwhile. It stops
// none of them.
package inturn

import (
	"context"
	"errors"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
)

// Field says which processes are sampled, and how to list and open them.
type Field struct {
	List  func() ([]int, error) // lists the pids that exist now; it may include others
	Every time.Duration         // from one listing to the next
	// Look opens a process that will never be stopped. sealed says why its stacks may not be
	// read; nil if they may be.
	Look func(pid int) (p task.Process, sealed, err error)
	Most int // maximum number of open processes
}

// The bounds of what a survey costs.
const (
	maxShare   = 4    // a survey takes at most 1/maxShare of the time of one processor
	openShare  = 4    // opening new processes takes at most 1/openShare of an interval
	maxMembers = 4096 // recorded in all
)

// Result is the result of a survey.
type Result struct {
	Profiles []*profile.Profile // processes that have ended come first
	Missing  []profile.Missing
	More     int // processes beyond the limit, which were not recorded
	Found    int // processes that could be opened
	Sealed   int // number of these whose stacks may not be read
	Refusal  error
	Notes    []string
}

// Record samples the processes of a field. It ignores the options on stops and Save. When ctx is
// done it returns what there is. The error is that of the first listing.
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
	past     map[int]bool // pids that exist, and that are not to be recorded
	waiting  map[int]bool // pids for which there was no time yet
	queue    []int        // the keys of waiting, the first found first
	lost     int          // processes that ended before there was time for them
	result   *Result

	began  time.Time
	used   time.Duration // CPU time of this program before
	listed time.Time
	taken  int
	missed int
}

// sample samples all processes repeatedly.
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

// turn samples each process once, and returns the time to make up for: the CPU time used, rather
// than the elapsed time, which depends on other programs.
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

// renew admits new processes, as far as there is time.
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

// leave ends the recording of a process.
func (s *survey) leave(m *member) {
	if made := m.end(); made != nil {
		s.result.Profiles = append(s.result.Profiles, made)
	}
	delete(s.now, m.pid)
}

// end ends all recordings.
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

// since returns how long the sampling has gone on.
func (s *survey) since() string { return time.Since(s.began).Round(time.Millisecond).String() }
