package mach

import (
	"context"
	"testing"
	"time"

	"stacksnap/task"
)

func TestPromptnessForIntervals(t *testing.T) {
	const ms, us = time.Millisecond, time.Microsecond
	for interval, want := range map[time.Duration]promptness{
		0:                 {},
		100 * us:          {},
		ms:                {period: ms, computation: 100 * us, constraint: 200 * us},
		5 * ms:            {period: 5 * ms, computation: 500 * us, constraint: ms},
		10 * ms:           {period: 10 * ms, computation: ms, constraint: 2 * ms},
		time.Second:       {period: time.Second, computation: ms, constraint: 2 * ms},
		time.Second + 1:   {},
		100 * time.Second: {},
	} {
		if got := promptFor(interval); got != want {
			t.Errorf("%v: %+v, want %+v", interval, got, want)
		}
	}
}

func sampleAt(t *testing.T, s *scripted, interval time.Duration, see func()) {
	t.Helper()
	p := mustOpen(t, s)
	for _, err := range task.Sample(context.Background(), p, task.Options{Count: 5, Interval: interval}) {
		if err != nil {
			t.Fatal(err)
		}
		see()
	}
	mustClose(t, p)
	s.balance(t)
}

// The thread is under a time constraint while it waits and captures, and not
// while the sample is worked on.
func TestPromptOnlyForTheCapture(t *testing.T) {
	s := newScripted(task.ARM64, 2)
	s.before = func(_ int, call string) {
		if (call == "task_suspend" || call == "thread_get_state") && !s.urgent {
			t.Errorf("%s without a time constraint", call)
		}
	}
	sampleAt(t, s, 10*time.Millisecond, func() {
		if s.urgent {
			t.Error("under a time constraint still")
		}
		s.threadList[0].ran += time.Millisecond
	})
	if len(s.policies) != 5 || s.policies[0] != promptFor(10*time.Millisecond) {
		t.Errorf("asked for %+v", s.policies)
	}
}

func TestPromptnessIsAskedForOnceWhereItIsRefused(t *testing.T) {
	for _, r := range []Return{invalidArgument, failure, notSupported, denied} {
		s := newScripted(task.ARM64, 2)
		s.noPolicy = r
		sampleAt(t, s, 10*time.Millisecond, func() {})
		if len(s.policies) != 1 {
			t.Errorf("%v: asked %d times", r, len(s.policies))
		}
	}
}

func TestNoPromptness(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	sampleAt(t, s, 2*time.Second, func() {})
	if len(s.policies) != 0 {
		t.Errorf("asked for %v", s.policies)
	}
}
