package hang

import (
	"time"

	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// maxPlaces bounds what is remembered of calls.
const maxPlaces = 1000

// observer observes the watched thread.
type observer struct {
	process task.Process
	info    task.Info
	watch   task.ThreadWatch
	clock   task.Clock
	names   map[task.Addr]string // Linux: the call that is made at a pc
	judge   *waits.Judge         // Darwin
	judged  map[Place]waits.Kind // by it
	last    Observation
	stopped bool // as of the last look
}

// How often a thread that stands is looked at again, and after what time: another
// program that takes snapshots lets it run on within milliseconds.
const (
	stoppedChecks = 5
	stoppedPause  = time.Millisecond
)

func newObserver(p task.Process, w task.ThreadWatch, c task.Clock, j *waits.Judge) *observer {
	return &observer{process: p, info: p.Info(), watch: w, clock: c, names: map[task.Addr]string{},
		judge: j, judged: map[Place]waits.Kind{}}
}

// observe observes the thread, and again where the thread stands for the first time: see stoppedChecks.
func (l *observer) observe() (Observation, error) {
	s, err := l.observeOnce()
	for n := 0; n < stoppedChecks && err == nil && s.Wait == waits.Stopped && !l.stopped; n++ {
		l.clock.SleepUntil(l.clock.Now() + stoppedPause)
		s, err = l.observeOnce()
	}
	l.stopped = s.Wait == waits.Stopped
	return s, err
}

// observeOnce observes the thread once. The counters are read before and after: a thread that began
// to wait meanwhile may have been anywhere.
func (l *observer) observeOnce() (Observation, error) {
	before, err := l.watch.Counters()
	if err != nil {
		return Observation{}, err
	}
	if l.last.Wait != waits.None && l.last.Steady && before.HasSleeps && before == l.last.Counters {
		l.last.At = l.clock.Now() // it has not run, and so is where it was
		return l.last, nil
	}
	s, err := l.check()
	s.Counters, s.Before, s.Steady = before, before.CPU, true
	if err == nil && s.Wait != waits.Loop {
		s.Counters, err = l.watch.Counters()
		s.Steady = s.Counters.Sleeps == before.Sleeps
	}
	l.last = s
	return s, err
}

func (l *observer) check() (Observation, error) {
	g, err := l.watch.Glance()
	s := Observation{At: l.clock.Now()}
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
		call = waits.DarwinCall(l.process, &g.Registers)
	}
	switch call.State {
	case task.OnProcessor:
		return s, nil
	case task.InFault:
		s.Wait = waits.Lock
	case task.InCall:
		s.Wait = l.kind(&call, &g.Registers)
	case task.CallUnknown:
		if g.State == task.Running {
			return s, nil
		}
		s.Wait = waits.Other
	}
	s.Place = Place{call.Number, call.SP, call.PC, call.Args}
	return s, nil
}

// kind classifies a call. Where it is the continuation of another one, that is
// known by the instruction that made it.
func (l *observer) kind(c *task.Syscall, r *task.Registers) waits.Kind {
	kind, name := waits.Classify(l.info.OS, l.info.Arch, c)
	switch {
	case l.info.OS == task.Darwin:
		kind = l.darwinKind(c, r)
	case name == waits.RestartSyscall:
		kind = waits.ClassifyNamed(l.names[c.PC], c.Args)
	default:
		l.note(c.PC, name)
	}
	return kind
}

// darwinKind has a wait judged by the thread's stack also, once for each place:
// one is as deep in the stack, and for the same, only by the same way.
func (l *observer) darwinKind(c *task.Syscall, r *task.Registers) waits.Kind {
	place := Place{c.Number, c.SP, c.PC, c.Args}
	kind, known := l.judged[place]
	if !known {
		if len(l.judged) >= maxPlaces {
			clear(l.judged)
		}
		kind = l.judge.Kind(r, c)
		l.judged[place] = kind
	}
	return kind
}

// note remembers which call is made at a pc.
func (l *observer) note(pc task.Addr, name string) {
	if name == "" {
		return
	}
	if len(l.names) >= maxPlaces {
		clear(l.names)
	}
	l.names[pc] = name
}
