package hang

import (
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/profile/waits"
	"stacksnap/images"
	"stacksnap/task"
)

// fakeWatch gives what it is told to, and each counter once.
type fakeWatch struct {
	activity task.ThreadActivity
	sleeps   []uint64
}

func (w *fakeWatch) Observe() (task.ThreadActivity, error) { return w.activity, nil }
func (w *fakeWatch) Close() error                          { return nil }

func (w *fakeWatch) Counters() (task.Counters, error) {
	c := task.Counters{Sleeps: w.sleeps[0], HasSleeps: true}
	if len(w.sleeps) > 1 {
		w.sleeps = w.sleeps[1:]
	}
	return c, nil
}

// fakeProcess has a word of code that enters the kernel, at 0x1000.
type fakeProcess struct {
	task.Process
	info task.Info
}

func (p fakeProcess) Info() task.Info     { return p.info }
func (p fakeProcess) Memory() task.Memory { return p }

func (p fakeProcess) Capabilities() task.Capabilities { return task.Capabilities{} }

func (fakeProcess) ReadMemory(b []byte, a task.Addr) (int, error) {
	svc := []byte{0x01, 0x10, 0x00, 0xd4}
	if a != 0x1000 {
		return 0, &task.FaultError{Addr: a}
	}
	return copy(b, svc), nil
}

type stillClock struct{ task.Clock }

func (stillClock) Now() time.Duration       { return time.Second }
func (stillClock) SleepUntil(time.Duration) {}

// briefly is stopped at the first observations.
type briefly struct {
	fakeWatch
	stops, observations int
}

func (w *briefly) Observe() (task.ThreadActivity, error) {
	w.observations++
	w.sleeps[0]++ // it has run since
	if w.observations <= w.stops {
		return task.ThreadActivity{State: task.Stopped}, nil
	}
	return w.activity, nil
}

// TestBriefStop: that another program takes a snapshot does not end a hang, and a
// thread that is stopped is observed again only the first time.
func TestBriefStop(t *testing.T) {
	for _, test := range []struct {
		stops, observations int
		want                waits.Kind
	}{{0, 1, waits.Lock}, {stoppedChecks, stoppedChecks + 1, waits.Lock}, {100, stoppedChecks + 1, waits.Stopped}} {
		w := &briefly{fakeWatch: fakeWatch{activity: inCall(202, 0x5000, 0x80, 2), sleeps: []uint64{7}}, stops: test.stops}
		l := observed(fakeProcess{info: task.Info{OS: task.Linux, Arch: task.AMD64}}, w)
		if s, err := l.observe(); err != nil || s.Wait != test.want || w.observations != test.observations {
			t.Errorf("%d: %+v after %d observations, %v", test.stops, s, w.observations, err)
		}
		if again, _ := l.observe(); again.Wait != test.want || w.observations > test.observations+1 {
			t.Errorf("%d: the second time %+v after %d observations", test.stops, again, w.observations)
		}
	}
}

func observed(p fakeProcess, w task.ThreadWatch) *observer {
	return newObserver(p, w, stillClock{}, waits.NewJudge(p, func() *images.Map { return nil }))
}

func inCall(number int, args ...uint64) task.ThreadActivity {
	g := task.ThreadActivity{State: task.Sleeping, Call: task.Syscall{State: task.InCall, Number: number, SP: 1, PC: 2}}
	copy(g.Call.Args[:], args)
	return g
}

func TestLook(t *testing.T) {
	linux := task.Info{OS: task.Linux, Arch: task.AMD64}
	const futex, poll, restart, read = 202, 7, 219, 0
	tests := []struct {
		name       string
		activities []task.ThreadActivity
		want       waits.Kind
	}{
		{"epoll", []task.ThreadActivity{inCall(232, 3)}, waits.Loop},
		{"mutex", []task.ThreadActivity{inCall(futex, 0x5000, 0x80, 2)}, waits.Lock},
		{"condition", []task.ThreadActivity{inCall(futex, 0x5000, 0x189, 0)}, waits.Other},
		{"priority inheritance", []task.ThreadActivity{inCall(futex, 0x5000, 0x86, 0)}, waits.Lock},
		{"read", []task.ThreadActivity{inCall(read, 3)}, waits.Other},
		{"unknown call", []task.ThreadActivity{inCall(9999)}, waits.Other},
		{"file lock", []task.ThreadActivity{inCall(73, 3)}, waits.Lock},
		{"page", []task.ThreadActivity{{Call: task.Syscall{State: task.InFault}}}, waits.Lock},
		{"runs", []task.ThreadActivity{{State: task.Running, Call: task.Syscall{State: task.OnProcessor}}}, waits.None},
		{"poll that goes on", []task.ThreadActivity{inCall(poll, 0x5000, 1), inCall(restart, 0x5000, 1)}, waits.Loop},
		{"lock that goes on", []task.ThreadActivity{inCall(futex, 0x5000, 0x89, 2), inCall(restart, 0x5000, 0x89, 2)}, waits.Lock},
		{"stopped in a call", []task.ThreadActivity{{State: task.Stopped, Call: task.Syscall{State: task.InCall, Number: read}}}, waits.Stopped},
		{"stopped as it ran", []task.ThreadActivity{{State: task.Stopped, Call: task.Syscall{State: task.InFault}}}, waits.Stopped},
		{"unknown that goes on", []task.ThreadActivity{inCall(restart, 0x5000, 1)}, waits.Other},
	}
	for _, test := range tests {
		w := &fakeWatch{sleeps: []uint64{7}}
		l := observed(fakeProcess{info: linux}, w)
		var s Observation
		for i, g := range test.activities {
			w.activity, w.sleeps[0] = g, uint64(7+i)
			s, _ = l.observe()
		}
		if s.Wait != test.want || s.At != time.Second || s.Counters.Sleeps != w.sleeps[0] || !s.Steady {
			t.Errorf("%s: %+v", test.name, s)
		}
	}
}

// A thread that has not run is where it was.
func TestLookAgain(t *testing.T) {
	w := &fakeWatch{activity: inCall(232, 3), sleeps: []uint64{7}}
	l := observed(fakeProcess{info: task.Info{OS: task.Linux, Arch: task.AMD64}}, w)
	for range 2 {
		if s, err := l.observe(); err != nil || s.Wait != waits.Loop {
			t.Errorf("%+v, %v", s, err)
		}
		w.activity = task.ThreadActivity{} // not asked for any more
	}
}

func TestUnsteadyLook(t *testing.T) {
	w := &fakeWatch{activity: inCall(0, 3), sleeps: []uint64{7, 8}}
	s, err := observed(fakeProcess{info: task.Info{OS: task.Linux, Arch: task.AMD64}}, w).observe()
	if err != nil || s.Steady {
		t.Errorf("%+v, %v: the thread began to wait meanwhile", s, err)
	}
}

// costlyWatch has the thread run at each look, by what was asked of it.
type costlyWatch struct {
	fakeWatch
	used time.Duration
}

func (w *costlyWatch) Observe() (task.ThreadActivity, error) {
	w.used += ms
	return w.activity, nil
}

func (w *costlyWatch) Counters() (task.Counters, error) { return task.Counters{CPU: w.used}, nil }

func TestWhatALookCostsIsWithinIt(t *testing.T) {
	w := &costlyWatch{fakeWatch: fakeWatch{activity: task.ThreadActivity{State: task.Sleeping, Later: true}}}
	s, err := observed(fakeProcess{info: task.Info{OS: task.Darwin, Arch: task.ARM64}}, w).observe()
	if err != nil || s.Before != 0 || s.Counters.CPU != ms || !s.Blind {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestLookAtDarwin(t *testing.T) {
	activity := func(x16 int64, x1 uint64) task.ThreadActivity {
		g := task.ThreadActivity{State: task.Sleeping}
		g.Registers.Arch = task.ARM64
		for reg := range task.Reg(task.ARM64.NumRegisters()) {
			g.Registers.Set(reg, 0)
		}
		g.Registers.Set(1, x1)
		g.Registers.Set(16, uint64(x16))
		g.Registers.Set(task.ARM64.PC(), 0x1004)
		return g
	}
	for _, test := range []struct {
		name     string
		activity task.ThreadActivity
		want     waits.Kind
	}{
		{"run loop", activity(-31, 2), waits.Loop},
		{"message and answer", activity(-31, 3), waits.Other},
		{"synchronous reply", activity(-31, 0x4002), waits.Other},
		{"idle worker", activity(368, 0), waits.Loop},
		{"kevent loop", activity(363, 0), waits.Loop},
		{"dispatch queue", activity(375, 0), waits.Lock},
		{"mutex", activity(301, 0), waits.Lock},
		{"runs", task.ThreadActivity{State: task.Running}, waits.None},
		{"waits, nobody knows for what", task.ThreadActivity{State: task.Sleeping}, waits.Other},
	} {
		l := observed(fakeProcess{info: task.Info{OS: task.Darwin, Arch: task.ARM64}}, &fakeWatch{activity: test.activity, sleeps: []uint64{1}})
		if s, err := l.observe(); err != nil || s.Wait != test.want {
			t.Errorf("%s: %+v, %v", test.name, s, err)
		}
	}
}

func TestPhases(t *testing.T) {
	var r hangreport.Report
	for i := range 300 {
		r.AddSample(time.Duration(i)*ms, string(rune('a'+i%26)), nil, true)
	}
	r.Finish(time.Second)
	last := r.Phases[len(r.Phases)-1]
	if len(r.Phases) != hangreport.MaxPhases || last.Function != hangreport.VariousFunctions || last.Start+last.Duration != time.Second || last.Samples != 101 {
		t.Errorf("%d phases, the last %+v", len(r.Phases), last)
	}
}

// TestPhaseOfUnknownWaits: a sample that does not tell what the thread waited for
// does not end what it did before.
func TestPhaseOfUnknownWaits(t *testing.T) {
	lock := &profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 0x5000}
	var r hangreport.Report
	for i, known := range []bool{false, true, false, true} {
		w := lock
		if !known {
			w = nil
		}
		r.AddSample(time.Duration(i)*ms, "lock", w, known)
	}
	if len(r.Phases) != 1 || r.Phases[0].Samples != 4 || r.Phases[0].Wait != lock {
		t.Errorf("phases %+v", r.Phases)
	}
	r.AddSample(4*ms, "lock", nil, true)
	r.AddSample(5*ms, "other", nil, false)
	if len(r.Phases) != 3 {
		t.Errorf("phases %+v", r.Phases)
	}
}
