package hang

import (
	"math/rand/v2"
	"testing"
	"time"

	"stacksnap/format/profile/hangreport"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

const (
	ms        = time.Millisecond
	threshold = 250 * ms
	interval  = threshold / observationsPerThreshold
)

// part is a time that a made thread spends in one way.
type part struct {
	wait waits.Kind
	time time.Duration
}

// parts is the life of a made thread, repeated for ever.
type parts []part

// at returns what a look at a time tells.
func (p parts) at(t time.Duration) Observation {
	s := Observation{At: t, Steady: true, Counters: task.Counters{HasSleeps: true}}
	last := waits.None
	for i, from := 0, time.Duration(0); ; i++ {
		now := p[i%len(p)]
		if now.wait != waits.None && (now.wait != last || last == waits.Other) {
			s.Counters.Sleeps++
		}
		last = now.wait
		if now.wait == waits.None {
			s.Counters.CPU += min(now.time, t-from)
		}
		if from += now.time; from > t {
			s.Wait = now.wait
			s.Place = Place{Call: i, SP: 1}
			s.Before = s.Counters.CPU
			return s
		}
	}
}

// seen is what a detector made of a life.
type seen struct{ start, found, end time.Duration }

// watch looks at a life for a time, every 10 ms while it is stuck, each look as
// much too late as late says.
func watch(p parts, whole time.Duration, late func() time.Duration) (hangs []seen, looks int) {
	d := NewDetector(threshold)
	for t := 3 * ms; t < whole; {
		s := p.at(t)
		looks++
		switch d.See(s) {
		case Stuck:
			start, _ := d.Away()
			hangs = append(hangs, seen{start: start, found: t})
		case Recovered:
			hangs[len(hangs)-1].end = d.End()
		}
		t = d.Next()
		if d.stuck {
			t = s.At + 10*ms
		}
		t += late()
	}
	return hangs, looks
}

func never() time.Duration { return 0 }

func TestHangs(t *testing.T) {
	loop := part{waits.Loop, 97 * ms}
	work := part{waits.None, 5 * ms}
	tests := []struct {
		name  string
		parts parts
		start time.Duration // of the hang; 0: there is none
		long  time.Duration
	}{
		{"healthy", parts{loop, work}, 0, 0},
		{"short of the threshold", parts{loop, {waits.None, 240 * ms}}, 0, 0},
		{"computes", parts{{waits.Loop, 1097 * ms}, {waits.None, 400 * ms}, {waits.Loop, time.Hour}}, 1097 * ms, 400 * ms},
		{"waits for a lock", parts{{waits.Loop, 1097 * ms}, work, {waits.Lock, 400 * ms}, work, {waits.Loop, time.Hour}}, 1097 * ms, 410 * ms},
		{"sleeps", parts{{waits.Loop, 1097 * ms}, work, {waits.Other, 400 * ms}, {waits.Loop, time.Hour}}, 1097 * ms, 405 * ms},
		{"waits, computes, waits", parts{{waits.Loop, 1097 * ms}, {waits.Other, 200 * ms}, {waits.None, 300 * ms}, {waits.Other, 200 * ms}, {waits.Loop, time.Hour}}, 1097 * ms, 700 * ms},
		{"sleeps for a living", parts{{waits.Other, 1000 * ms}, {waits.None, 50 * ms}}, 0, 0},
		{"sleeps for a living, then a lock", parts{{waits.Other, 1000 * ms}, {waits.Lock, 500 * ms}, {waits.Other, time.Hour}}, 1000 * ms, 500 * ms},
		{"stopped by a signal", parts{loop, work, {waits.Stopped, time.Minute}, work}, 0, 0},
		{"stopped while it computed", parts{{waits.Loop, 997 * ms}, {waits.None, 150 * ms}, {waits.Stopped, time.Minute}, {waits.None, 150 * ms}}, 0, 0},
		{"goes on, and is stuck", parts{{waits.Stopped, 1097 * ms}, {waits.None, 400 * ms}, {waits.Loop, time.Hour}}, 1097 * ms, 400 * ms},
		{"busy, with short rests", parts{{waits.None, 100 * ms}, {waits.Loop, 5 * ms}, {waits.None, 160 * ms}, {waits.Loop, 5 * ms}, {waits.None, 200 * ms}, {waits.Loop, 7 * ms}}, 0, 0},
		{"busy nine tenths of the time", parts{{waits.None, 90 * ms}, {waits.Loop, 10 * ms}}, 0, 0},
	}
	for _, test := range tests {
		hangs, _ := watch(test.parts, 20*time.Second, never)
		if test.start == 0 {
			if len(hangs) != 0 {
				t.Errorf("%s: false alarm %v", test.name, hangs)
			}
			continue
		}
		if len(hangs) != 1 {
			t.Errorf("%s: %d hangs reported: %v", test.name, len(hangs), hangs)
			continue
		}
		h := hangs[0]
		if off := (h.start - test.start).Abs(); off > 2*interval {
			t.Errorf("%s: began at %v, reported %v", test.name, test.start, h.start)
		}
		if off := (h.end - h.start - test.long).Abs(); off > 2*interval {
			t.Errorf("%s: lasted %v, reported %v", test.name, test.long, h.end-h.start)
		}
		if h.found > test.start+threshold+2*interval {
			t.Errorf("%s: found only at %v", test.name, h.found)
		}
	}
}

// The watch itself was stopped for long, with the thread or without.
func TestAfterAPause(t *testing.T) {
	habits := map[string]parts{
		"works and waits": {{waits.Loop, 7 * ms}, {waits.None, 5 * ms}, {waits.Other, 4 * ms}, {waits.None, 3 * ms}, {waits.Lock, 2 * ms}},
		"mostly idle":     {{waits.Loop, 4321 * ms}, {waits.None, 100 * ms}},
		"mostly busy":     {{waits.None, 90 * ms}, {waits.Loop, 10 * ms}},
	}
	for name, life := range habits {
		looks := 0
		pauses := func() time.Duration {
			if looks++; looks%17 == 0 {
				return time.Duration(3000+looks) * ms
			}
			return 0
		}
		if hangs, _ := watch(life, 10*time.Minute, pauses); len(hangs) != 0 {
			t.Errorf("%s: false alarms %v", name, hangs)
		}
	}
}

// A thread that works and waits in turns, hundreds of times in each interval.
func TestInTurns(t *testing.T) {
	life := parts{{waits.Loop, 997 * ms}}
	for range 5000 {
		life = append(life, part{waits.None, 200 * time.Microsecond}, part{waits.Other, 200 * time.Microsecond})
	}
	life = append(life, part{waits.Loop, time.Hour})
	hangs, _ := watch(life, 6*time.Second, never)
	if len(hangs) != 1 || (hangs[0].start-997*ms).Abs() > 2*interval || (hangs[0].end-2997*ms).Abs() > 2*interval {
		t.Errorf("reported %v", hangs)
	}
}

// Healthy threads of all habits, looked at too late now and then.
func TestNoFalseAlarm(t *testing.T) {
	const whole = 3 * time.Minute
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		var life parts
		for range 2000 {
			for range 1 + r.IntN(4) {
				life = append(life, part{waits.None, time.Duration(r.Int64N(int64(30 * ms)))},
					part{waits.Other, time.Duration(r.Int64N(int64(25 * ms)))})
			}
			life = append(life, part{waits.Loop, ms + time.Duration(r.Int64N(int64(40*ms)))})
		}
		noise := func() time.Duration {
			if r.IntN(50) == 0 {
				return time.Duration(r.Int64N(int64(5 * time.Second))) // the watch was held up
			}
			return time.Duration(r.ExpFloat64() * float64(5*ms))
		}
		hangs, looks := watch(life, whole/10, noise)
		if len(hangs) > 0 {
			t.Errorf("seed %d: false alarms %v", seed, hangs)
		}
		if perSecond := float64(looks) / (whole / 10).Seconds(); perSecond > 60 {
			t.Errorf("seed %d: %.0f looks a second", seed, perSecond)
		}
	}
}

// Where the system does not count sleeps, only a wait without any work and work
// without any wait are proven, whatever a look costs the thread.
func TestWithoutSleeps(t *testing.T) {
	uncounted := func(p parts, cost time.Duration) (stuck int) {
		d := NewDetector(threshold)
		used := time.Duration(0)
		for at := 3 * ms; at < 3*time.Second; at = d.Next() {
			s := p.at(at)
			s.Counters.HasSleeps, s.Counters.Sleeps = false, 0
			s.Before = s.Counters.CPU + used
			used += cost
			s.Counters.CPU += used
			if d.See(s) == Stuck {
				stuck++
			}
		}
		return stuck
	}
	for _, cost := range []time.Duration{0, 100 * time.Microsecond, 2 * ms} {
		for _, p := range []parts{
			{{waits.Loop, 500 * ms}, {waits.Lock, 400 * ms}, {waits.Loop, time.Hour}},
			{{waits.Loop, 500 * ms}, {waits.None, 2 * ms}, {waits.Other, 400 * ms}, {waits.Loop, time.Hour}},
			{{waits.Loop, 500 * ms}, {waits.None, 400 * ms}, {waits.Loop, time.Hour}},
		} {
			if n := uncounted(p, cost); n != 1 {
				t.Errorf("%v, looks of %v: %d hangs", p, cost, n)
			}
		}
		if n := uncounted(parts{{waits.Loop, 40 * ms}, {waits.None, 40 * ms}}, cost); n != 0 {
			t.Errorf("looks of %v: %d false alarms", cost, n)
		}
	}
}

// Where what a running thread has used is told by a clock's ticks, two looks that are
// near to each other may see nothing of it, or too much; a thread that rests after all
// is not proven to run by that.
func TestUsedByTicks(t *testing.T) {
	const tick = 4 * ms
	ticking := func(p parts) (stuck []time.Duration, closer bool) {
		d := NewDetector(threshold)
		for at := 3 * ms; at < 3*time.Second; at = d.Next() {
			s := p.at(at)
			s.Counters.HasSleeps, s.Counters.Sleeps = false, 0
			s.Counters.CPU = s.Counters.CPU / tick * tick
			s.Before = s.Counters.CPU
			if d.See(s) == Stuck {
				stuck = append(stuck, at)
			}
			closer = closer || d.closer
		}
		return stuck, closer
	}
	for first := range 20 {
		idle := 500*ms + time.Duration(first)*11*ms // the looks come at other times
		hang := parts{{waits.Loop, idle}, {waits.None, 2 * threshold}, {waits.Loop, time.Hour}}
		if stuck, closer := ticking(hang); len(stuck) != 1 || stuck[0] > idle+threshold*17/10 || closer {
			t.Errorf("idle for %v: found at %v, after a closer watch: %v", idle, stuck, closer)
		}
		for _, rest := range []time.Duration{2 * ms, 11 * ms, 25 * ms} {
			busy := parts{{waits.Loop, idle}}
			for range 10 {
				busy = append(busy, part{waits.None, 5 * rest}, part{waits.Loop, rest})
			}
			if stuck, _ := ticking(append(busy, part{waits.Loop, time.Hour})); len(stuck) != 0 {
				t.Errorf("idle for %v, and then of each %v: %v", idle, 6*rest, stuck)
			}
		}
	}
}

// A thread that is seen to run each time is proven to by what it used since the look
// before, and since the first of them.
func TestRan(t *testing.T) {
	steadily := func(percent time.Duration) func(time.Duration) time.Duration {
		return func(run time.Duration) time.Duration { return run * percent / 100 }
	}
	for name, test := range map[string]struct {
		every time.Duration
		used  func(run time.Duration) time.Duration
		want  int
	}{
		"all the time":             {interval, steadily(100), 1},
		"nine tenths":              {interval, steadily(90), 1},
		"less, little by little":   {5 * ms, steadily(60), 0},
		"less, by more than ticks": {interval, steadily(85), 0},
		"all the time, looked at":  {5 * ms, steadily(100), 1},
		"but once, for a good while": {interval, func(run time.Duration) time.Duration {
			if run > threshold/2 {
				run -= 15 * ms
			}
			return run
		}, 0},
	} {
		d := NewDetector(threshold)
		d.See(Observation{At: ms, Wait: waits.Loop, Steady: true})
		stuck := 0
		for run := interval; run <= threshold+2*interval; run += test.every {
			if d.See(Observation{At: ms + run, Steady: true, Counters: task.Counters{CPU: test.used(run)}}) == Stuck {
				stuck++
			}
		}
		if stuck != test.want {
			t.Errorf("%s: %d hangs, want %d", name, stuck, test.want)
		}
	}
}

// A thread that runs at the first look is not proven to by what it used before.
func TestRanBefore(t *testing.T) {
	d := NewDetector(threshold)
	for run := time.Duration(0); run <= threshold+interval; run += 5 * ms {
		if d.See(Observation{At: ms + run, Steady: true, Counters: task.Counters{CPU: time.Hour + run*6/10}}) == Stuck {
			t.Errorf("stuck after %v", run)
		}
	}
}

// waitsWithoutSleeps are ten looks in two thresholds, after one at an idle thread,
// that find it in the same wait, each changed as is told.
func waitsWithoutSleeps(change func(n int, s *Observation)) (stuck int) {
	d := NewDetector(threshold)
	at := ms
	d.See(Observation{At: at, Wait: waits.Loop, Place: Place{Call: 1, SP: 1}, Steady: true})
	for n := range 10 {
		at += threshold / 5
		s := Observation{At: at, Wait: waits.Lock, Steady: true, Place: Place{Call: 2, SP: 1, Args: [6]uint64{3, 4}}}
		s.Before, s.Counters.CPU = 20*ms, 20*ms
		change(n, &s)
		if d.See(s) == Stuck {
			stuck++
		}
	}
	return stuck
}

// TestTheSameWait is proven by the thread's not having run between two looks.
func TestTheSameWait(t *testing.T) {
	for name, test := range map[string]struct {
		change func(n int, s *Observation)
		want   int
	}{
		"not run": {func(int, *Observation) {}, 1},
		"run by the looks": {func(n int, s *Observation) {
			s.Before += time.Duration(n) * ms
			s.Counters.CPU += time.Duration(n+1) * ms
		}, 1},
		"left it and came back": {func(n int, s *Observation) {
			s.Before += time.Duration(2*n+1) * 100 * time.Microsecond
			s.Counters.CPU += time.Duration(2*n+2) * 100 * time.Microsecond
			if n%2 == 0 {
				s.Before -= 50 * time.Microsecond
			}
		}, 0},
		"for other locks":          {func(n int, s *Observation) { s.Place.Args[0] += uint64(n) }, 0},
		"a register of no meaning": {func(n int, s *Observation) { s.Place.Args[5] += uint64(n) }, 1},
		"nobody knows for what":    {func(n int, s *Observation) { s.Place, s.Wait = Place{}, waits.Other }, 0},
		"not seen":                 {func(n int, s *Observation) { s.Blind = true }, 0},
		"not seen now and then":    {func(n int, s *Observation) { s.Blind = n%2 == 1 }, 1},
	} {
		if stuck := waitsWithoutSleeps(test.change); stuck != test.want {
			t.Errorf("%s: %d hangs, want %d", name, stuck, test.want)
		}
	}
}

// A look that saw nothing is made up for soon, but not at once.
func TestAfterABlindLook(t *testing.T) {
	d := NewDetector(threshold)
	d.See(Observation{At: ms, Wait: waits.Loop})
	d.See(Observation{At: threshold, Wait: waits.Other, Blind: true})
	if next := d.Next(); next != threshold+threshold/blindPerThres {
		t.Errorf("looks next at %v", next)
	}
}

func TestForgive(t *testing.T) {
	d := NewDetector(threshold)
	life := parts{{waits.Lock, time.Hour}}
	events := 0
	for at := 3 * ms; at < 5*time.Second; at = d.Next() {
		if d.See(life.at(at)) == Stuck {
			events++
			if !d.IgnoreLastWait() {
				t.Error("not forgiven")
			}
		}
	}
	if events != 1 {
		t.Errorf("%d events", events)
	}
}

func TestStarved(t *testing.T) {
	if hangreport.KindOf(90, 44, 100) != hangreport.Starved || hangreport.KindOf(90, 45, 100) != hangreport.Busy || hangreport.KindOf(10, 0, 100) != hangreport.Blocked {
		t.Error(hangreport.KindOf(90, 44, 100), hangreport.KindOf(90, 45, 100), hangreport.KindOf(10, 0, 100))
	}
}

func TestKindOf(t *testing.T) {
	for worked, want := range map[time.Duration]hangreport.Kind{0: hangreport.Blocked, 20: hangreport.Blocked, 21: hangreport.InTurns, 79: hangreport.InTurns, 80: hangreport.Busy, 100: hangreport.Busy} {
		if got := hangreport.KindOf(worked, worked, 100); got != want {
			t.Errorf("%d of 100 is %v", worked, got)
		}
	}
	if hangreport.KindOf(50, 5, 100) != hangreport.Blocked || hangreport.KindOf(50, 6, 100) != hangreport.InTurns {
		t.Error(hangreport.KindOf(50, 5, 100), hangreport.KindOf(50, 6, 100))
	}
}
