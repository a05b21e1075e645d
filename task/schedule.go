package task

import "time"

// Turn tells of a [Running] thread whether it had a processor just before it was
// stopped.
type Turn uint8

// The turns.
const (
	TurnUnknown Turn = iota // it had one or waited for one
	OnCPU                   // it had, until the stop: see [Thread].Processor
	Queued                  // it waited for one
)

// Schedule is what the system has counted of a thread, to the microsecond, since
// the thread began. Where both times are 0 it does not tell.
type Schedule struct {
	Ran    time.Duration // on processors
	Queued time.Duration // in which it could have run, and had none
	// Stood is for how long at most it stood in stops of ours when it could have run,
	// since it was sampled first. It may have waited for a processor in a part of that.
	Stood time.Duration
}

// Known reports whether the system counts.
func (s *Schedule) Known() bool { return s.Ran|s.Queued != 0 }

// Scheduler is a live [Process] whose system counts for how long each thread has
// run and has waited for a processor.
type Scheduler interface {
	// Scheduled returns both as they were in the last call of [Sampled].Idle if that
	// was since the last listing, else as they are; false where that is not known.
	// They may lack what a processor that is in use has not counted yet: the time
	// since the last tick of its clock.
	Scheduled(ThreadID) (ran, queued time.Duration, ok bool)
}

// Turner is a live [Process] that can prove whether a thread has a processor.
type Turner interface {
	// ProveTurns has each Suspend from now on find that out of the Running threads,
	// and Capture tell it: see [Thread].Turn.
	ProveTurns(on bool)
}

func proveTurns(p Process, on bool) {
	if t, ok := p.(Turner); ok {
		t.ProveTurns(on)
	}
}

// schedule notes how a thread has been scheduled so far.
func (s *sampler) schedule(k *sampled) {
	if s.scheduler == nil {
		return
	}
	if ran, queued, ok := s.scheduler.Scheduled(k.ID); ok {
		k.Schedule = Schedule{ran.Truncate(time.Microsecond), queued.Truncate(time.Microsecond), k.stood.Truncate(time.Microsecond)}
	}
}

// stands counts a stop of the thread.
func (k *sampled) stands(d time.Duration) {
	if k.State == Running { // else it waited for something all the same
		k.stood += d
	}
}
