package mach

import (
	"runtime"
	"time"
)

// promptness is what is asked for of the scheduler, by
// THREAD_TIME_CONSTRAINT_POLICY (osfmk/mach/thread_policy.h): computation in any
// period, done within constraint. Zero: nothing.
type promptness struct {
	period, computation, constraint time.Duration
	on                              bool // now, for the thread that the goroutine is locked to
}

// A thread under a time constraint runs before nearly everything else, so it is
// one only while it waits for a capture and makes it, and tells the kernel that
// it needs a tenth of the interval. The kernel refuses a computation of less than
// 50 µs or more than 50 ms (osfmk/kern/thread_policy.c,
// thread_policy_set_internal; sched_prim.c), and raises one that is less than
// half of the constraint.
const (
	shortestPrompt = time.Millisecond // interval
	longestPrompt  = time.Second
	promptShare    = 10

	minComputation = 100 * time.Microsecond
	maxComputation = time.Millisecond
)

func promptFor(interval time.Duration) promptness {
	if interval < shortestPrompt || interval > longestPrompt {
		return promptness{}
	}
	computation := min(max(interval/promptShare, minComputation), maxComputation)
	return promptness{period: interval, computation: computation, constraint: 2 * computation}
}

// Prompt implements [task.Pacer]. Once it is refused it is not asked for again.
// What the policy was is never asked: it was the standard one, which every thread
// begins with.
func (p *Process) Prompt() {
	if p.prompt.period == 0 || p.prompt.on {
		return
	}
	runtime.LockOSThread()
	if p.k.timeConstraint(p.prompt.period, p.prompt.computation, p.prompt.constraint) != success {
		p.prompt = promptness{}
		runtime.UnlockOSThread()
		return
	}
	p.prompt.on = true
}

// Relax implements [task.Pacer].
func (p *Process) Relax() {
	if !p.prompt.on {
		return
	}
	p.prompt.on = false
	if p.k.standardPolicy() != success {
		p.k.standardPolicy()
	}
	runtime.UnlockOSThread()
}
