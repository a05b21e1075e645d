package inturn

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
)

// member is a process that is recorded.
type member struct {
	pid     int
	process task.Process
	steps   *capture.Steps
}

func (m *member) end() *profile.Profile {
	made := m.steps.End()
	_ = m.process.Close() // nothing was attached
	return made
}

// find lists the processes, and puts new ones into the queue.
func (s *survey) find() error {
	pids, err := s.field.List()
	if err != nil {
		return err
	}
	s.listed = time.Now()
	there := make(map[int]bool, len(pids))
	for _, pid := range pids {
		there[pid] = true
		if s.now[pid] == nil && !s.past[pid] && !s.waiting[pid] {
			s.waiting[pid] = true
			s.queue = append(s.queue, pid)
		}
	}
	s.forget(there)
	return nil
}

// forget drops the pids that no longer exist.
func (s *survey) forget(there map[int]bool) {
	for pid := range s.past {
		if !there[pid] {
			delete(s.past, pid)
		}
	}
	s.queue = slices.DeleteFunc(s.queue, func(pid int) bool {
		gone := !there[pid]
		if gone {
			delete(s.waiting, pid)
			s.lost++
		}
		return gone
	})
}

// admit begins to record waiting processes: one, and more while there is time.
func (s *survey) admit(hasTime func() bool) {
	for n := 0; len(s.queue) > 0 && len(s.order) < s.field.Most && (n == 0 || hasTime()); n++ {
		pid := s.queue[0]
		s.queue = s.queue[1:]
		delete(s.waiting, pid)
		s.begin(pid)
	}
}

// begin begins to record a process, if there is one with that pid.
func (s *survey) begin(pid int) {
	if s.result.Found == maxMembers {
		s.past[pid] = true
		s.result.More++
		return
	}
	p, sealed, err := s.field.Look(pid)
	if err != nil {
		s.refuse(pid, err)
		return
	}
	steps, err := s.together.Begin(p)
	if err != nil {
		_ = p.Close() // nothing was attached
		s.refuse(pid, err)
		return
	}
	if sealed != nil {
		s.result.Sealed++
		s.result.Refusal = sealed
	}
	if !s.began.IsZero() {
		steps.Note("it was found " + s.since() + " after the sampling had begun")
	}
	s.result.Found++
	s.now[pid] = &member{pid: pid, process: p, steps: steps}
	s.order = append(s.order, s.now[pid])
}

// refuse records that a pid cannot be recorded. If it is no process, or has ended, that is not
// reported.
func (s *survey) refuse(pid int, err error) {
	s.past[pid] = true
	if !errors.As(err, new(*task.NoProcessError)) {
		s.result.Missing = append(s.result.Missing, profile.Missing{PID: pid, Why: err.Error()})
	}
}

// note adds notes on what the survey has cost, and which processes it may have missed.
func (s *survey) note() {
	took := time.Since(s.began)
	text := fmt.Sprintf("captured in turn %d times in %v, every %v", s.taken, took.Round(time.Millisecond), s.options.Interval)
	if s.missed > 0 {
		text += fmt.Sprintf(" (%d missed)", s.missed)
	}
	share := 100 * (s.together.OwnCPU() - s.used).Seconds() / took.Seconds()
	s.result.Notes = append(s.result.Notes,
		text+fmt.Sprintf("; nothing was stopped, and %.1f %% of a CPU used by the capture, after %v of CPU time to begin with", share, s.used.Round(time.Millisecond)))
	text = fmt.Sprintf("processes were looked for every %v: those that ended sooner may be missing", s.field.Every)
	if s.lost > 0 {
		text += fmt.Sprintf(", and %d ended before there was time to capture them", s.lost)
	}
	s.result.Notes = append(s.result.Notes, text)
	s.result.More += len(s.queue)
}
