package mach

import (
	"testing"

	"stacksnap/task"
)

// TestSuspendsWithinGate: while the task is held, and only then, what is to be done
// between two stops has to wait, however the stop ends.
func TestSuspendsWithinGate(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*scripted)
		end    func(*scripted, *Process, func() error)
	}{
		"resume":       {},
		"twice":        {end: func(_ *scripted, _ *Process, resume func() error) { _, _ = resume(), resume() }},
		"close":        {end: func(_ *scripted, p *Process, _ func() error) { _ = p.Close() }},
		"ended":        {end: func(s *scripted, _ *Process, resume func() error) { s.kill(); _ = resume() }},
		"by another":   {end: func(s *scripted, _ *Process, resume func() error) { s.holds = 0; _ = resume() }},
		"refused":      {change: func(s *scripted) { s.failCall, s.failWith = "task_suspend", denied }},
		"without port": {change: func(s *scripted) { s.failCall, s.failWith, s.noHold = "task_suspend", noSpace, true }},
	} {
		s := newScripted(task.ARM64, 2)
		gate := new(task.Gate)
		p := mustOpen(t, s)
		p.SetLimits(task.Limits{Gate: gate})
		p.SetLimits(task.Limits{}) // which leaves the gate
		if c.change != nil {
			c.change(s)
		}
		resume, err := p.Suspend(task.StopOptions{})
		if (err != nil) != (c.change != nil) {
			t.Fatalf("%s: %v", name, err)
		}
		between := make(chan int, 1)
		asked := make(chan struct{})
		go func() {
			close(asked)
			gate.Between(func() { between <- s.holds })
		}()
		<-asked
		if err == nil {
			if c.end == nil {
				_ = resume()
			} else {
				c.end(s, p, resume)
			}
		}
		if holds := <-between; holds != 0 {
			t.Errorf("%s: the task was held", name)
		}
		s.failCall = ""
		_ = p.Close()
		gate.Between(func() {})
	}
}
