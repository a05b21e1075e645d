package task

import (
	"errors"
	"testing"
)

// runningProcess is a thread that is not stopped, whose chain goes from 0x2000 to 0x3000.
type runningProcess struct {
	Process
	heap
	capture func(*Thread) error
	times   int         // it was captured
	change  func(n int) // is called before the n-th reading of memory
	reads   int
}

func (p *runningProcess) Memory() Memory             { return p }
func (p *runningProcess) Capabilities() Capabilities { return Capabilities{} }

func (p *runningProcess) Capture(_ ThreadID, t *Thread) error {
	p.times++
	t.Stacks = append(t.Stacks[:0], Stack{Base: 0x7000, Bytes: t.Buffer()[:8]})
	return p.capture(t)
}

func (p *runningProcess) ReadMemory(b []byte, a Addr) (int, error) {
	p.reads++
	if p.change != nil {
		p.change(p.reads)
	}
	return p.heap.ReadMemory(b, a)
}

func TestChainsOfRunningThreads(t *testing.T) {
	errRuns := errors.New("it runs")
	isNew := func(t *Thread) error { t.Age = 1; return nil }
	runs := func(t *Thread) error { return errRuns }
	waits := func(t *Thread) error { t.Skipped = true; return nil }
	always := func(p *runningProcess) func(int) { return func(n int) { p.heap[0x2010] = Addr(0x3000 + 0x100*n) } }
	for name, test := range map[string]struct {
		capture func(*Thread) error
		change  func(p *runningProcess) func(int)
		stays   []bool // after each reading
		running bool
		times   int // that it is captured
		chains  int
		later   bool
		stack   bool
		err     error
	}{
		"copied as it ran":                       {isNew, nil, nil, true, 1, 1, true, true, nil},
		"copied as it ran, and changing":         {isNew, always, nil, true, 1, 0, false, false, ErrTorn},
		"not copied":                             {runs, nil, nil, true, 1, 1, true, false, nil},
		"not copied, and changing":               {runs, always, nil, true, 1, 0, false, false, ErrTorn},
		"gone":                                   {func(*Thread) error { return ErrThreadGone }, nil, nil, true, 1, 0, false, true, ErrThreadGone},
		"not stopped in time, where others are":  {runs, nil, nil, false, 1, 0, false, true, errRuns},
		"waiting":                                {waits, nil, []bool{true}, true, 1, 1, false, true, nil},
		"waiting, having run once":               {waits, nil, []bool{false, true}, true, 2, 1, false, true, nil},
		"waiting, having run each time":          {waits, nil, []bool{false, false, false}, true, 4, 0, false, false, ErrTorn},
		"left where it waits, having run always": {waits, nil, []bool{false, false, false}, false, 4, 0, false, true, nil},
	} {
		p := &runningProcess{heap: heap{0x2010: 0x3000}, capture: test.capture}
		if test.change != nil {
			p.change = test.change(p)
		}
		chains := []Chain{{At: 0x2000, Size: 0x18, Links: []Link{{Offset: 0x10, Size: 0x10}}}}
		s := Snapshot{Watch: Watch{Chains: map[ThreadID][]Chain{7: chains}}}
		s.Limit = FirstStackLimit
		s.reserve(1, 0)
		s.chains.reserve(maxChains)
		s.running = test.running
		if n := 0; test.stays != nil {
			s.stays = func(ThreadID) bool { n++; return test.stays[n-1] }
		}
		th := Thread{ID: 7}
		s.captureThread(p, &th)
		if len(th.Chains) != test.chains || th.Later != test.later || th.Err != test.err || (len(th.Stacks) > 0) != test.stack || p.times != test.times {
			t.Errorf("%s: %d chains, later %t, %d stacks, %v; captured %d times", name, len(th.Chains), th.Later, len(th.Stacks), th.Err, p.times)
		}
		if test.chains > 0 && len(th.Chains[0].Objects) != 2 {
			t.Errorf("%s: %d objects", name, len(th.Chains[0].Objects))
		}
		if used := 8 * len(th.Stacks); s.used != used && test.stack {
			t.Errorf("%s: %d bytes used of %d", name, s.used, used)
		}
	}
}
