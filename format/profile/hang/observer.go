package hang

import (
	"time"

	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// maxPlaces bounds the size of the observer's maps.
const maxPlaces = 1000

// observer observes the watched thread.
type observer struct {
	process task.Process
	info    task.Info
	watch   task.ThreadWatch
	clock   task.Clock
	names   map[task.Addr]string // Linux: name of the call made at a pc
	judge   *waits.Judge         // only on Darwin
	judged  map[Place]waits.Kind // results of judge by place
	last    Observation
	stopped bool // the thread was stopped at the last observation
}

// The number of times that a stopped thread is observed again, and the time between.
// Another program that takes snapshots lets it run on within milliseconds.
const (
	stoppedChecks = 5
	stoppedPause  = time.Millisecond
)

func newObserver(p task.Process, w task.ThreadWatch, c task.Clock, j *waits.Judge) *observer {
	return &observer{process: p, info: p.Info(), watch: w, clock: c, names: map[task.Addr]string{},
		judge: j, judged: map[Place]waits.Kind{}}
}

// observe observes the thread. If it is stopped and was not before, it observes it again,
// up to stoppedChecks times.
func (o *observer) observe() (Observation, error) {
	s, err := o.observeOnce()
	for n := 0; n < stoppedChecks && err == nil && s.Wait == waits.Stopped && !o.stopped; n++ {
		o.clock.SleepUntil(o.clock.Now() + stoppedPause)
		s, err = o.observeOnce()
	}
	o.stopped = s.Wait == waits.Stopped
	return s, err
}

// observeOnce observes the thread once. It reads the counters before and after: if the
// thread began to wait in between, the observation is not steady.
func (o *observer) observeOnce() (Observation, error) {
	before, err := o.watch.Counters()
	if err != nil {
		return Observation{}, err
	}
	if o.last.Wait != waits.None && o.last.Steady && before.HasSleeps && before == o.last.Counters {
		o.last.At = o.clock.Now() // it has not run since
		return o.last, nil
	}
	s, err := o.check()
	s.Counters, s.Before, s.Steady = before, before.CPU, true
	if err == nil && s.Wait != waits.Loop {
		s.Counters, err = o.watch.Counters()
		s.Steady = s.Counters.Sleeps == before.Sleeps
	}
	o.last = s
	return s, err
}

// check returns where the thread is, without its counters.
func (o *observer) check() (Observation, error) {
	g, err := o.watch.Observe()
	s := Observation{At: o.clock.Now()}
	if err != nil {
		return s, err
	}
	if g.State == task.Stopped {
		s.Wait = waits.Stopped
		return s, nil
	}
	s.Blind = g.Later
	call := g.Call
	if call.State == task.CallUnknown && g.Registers.Known != 0 {
		call = waits.DarwinCall(o.process, &g.Registers)
	}
	switch call.State {
	case task.OnProcessor:
		return s, nil
	case task.InFault:
		s.Wait = waits.Lock
	case task.InCall:
		s.Wait, s.Call = o.kind(&call, &g.Registers)
	case task.CallUnknown:
		if g.State == task.Running {
			return s, nil
		}
		s.Wait = waits.Other
	}
	s.Place = Place{call.Number, call.SP, call.PC, call.Args}
	return s, nil
}

// kind classifies a call, and names it. A restarted call is classified by the call that was made at the
// same pc.
func (o *observer) kind(c *task.Syscall, r *task.Registers) (waits.Kind, string) {
	kind, name := waits.Classify(o.info.OS, o.info.Arch, c)
	switch {
	case o.info.OS == task.Darwin:
		kind = o.darwinKind(c, r)
	case name == waits.RestartSyscall:
		name = o.names[c.PC]
		kind = waits.ClassifyNamed(name, c.Args)
	default:
		o.note(c.PC, name)
	}
	return kind, name
}

// darwinKind classifies a wait by the call and the thread's stack, once for each place. Two
// waits with the same stack pointer, pc and arguments have the same stack.
func (o *observer) darwinKind(c *task.Syscall, r *task.Registers) waits.Kind {
	place := Place{c.Number, c.SP, c.PC, c.Args}
	kind, known := o.judged[place]
	if !known {
		if len(o.judged) >= maxPlaces {
			clear(o.judged)
		}
		kind = o.judge.Kind(r, c)
		o.judged[place] = kind
	}
	return kind
}

// note remembers the name of the call made at a pc.
func (o *observer) note(pc task.Addr, name string) {
	if name == "" {
		return
	}
	if len(o.names) >= maxPlaces {
		clear(o.names)
	}
	o.names[pc] = name
}
