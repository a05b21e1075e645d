package task

import (
	"errors"
	"iter"
	"testing"
)

// fakeProcess is a process of numbered threads whose stacks hold their number.
type fakeProcess struct {
	before, during []ThreadID // listed outside and inside a suspension
	gone           map[ThreadID]bool
	failCapture    map[ThreadID]error
	failSuspend    error
	stackSize      int

	suspended, resumed int
	resumeFunc         func() error
	stopped            bool
}

func (p *fakeProcess) Info() Info                        { return Info{PID: 1, Arch: AMD64, Live: true} }
func (p *fakeProcess) Capabilities() Capabilities        { return Capabilities{} }
func (p *fakeProcess) Memory() Memory                    { return p }
func (p *fakeProcess) Regions() iter.Seq2[Region, error] { return func(func(Region, error) bool) {} }
func (p *fakeProcess) Close() error                      { return nil }

func (p *fakeProcess) Threads() ([]ThreadID, error) {
	if p.stopped {
		return p.during, nil
	}
	return p.before, nil
}

func (p *fakeProcess) Describe(id ThreadID, t *Thread) error {
	if p.gone[id] {
		return ErrThreadGone
	}
	t.Name = "described"
	return nil
}

func (p *fakeProcess) Suspend(StopOptions) (func() error, error) {
	if p.failSuspend != nil {
		return nil, p.failSuspend
	}
	p.suspended++
	p.stopped = true
	if p.resumeFunc == nil {
		p.resumeFunc = p.resume
	}
	return p.resumeFunc, nil
}

func (p *fakeProcess) resume() error {
	p.resumed++
	p.stopped = false
	return nil
}

func (p *fakeProcess) Capture(id ThreadID, t *Thread) error {
	if !p.stopped {
		return errors.New("captured while running")
	}
	if err := p.failCapture[id]; err != nil {
		return err
	}
	n := min(p.stackSize, cap(t.Buffer()))
	b := t.Buffer()[:n]
	for i := range b {
		b[i] = byte(id)
	}
	t.Registers = Registers{Arch: AMD64}
	t.Registers.Set(AMD64.SP(), uint64(id)<<32)
	t.Stacks = append(t.Stacks[:0], Stack{Base: Addr(id) << 32, Bytes: b, Top: Addr(id)<<32 + Addr(p.stackSize)})
	return nil
}

func (p *fakeProcess) ReadMemory(b []byte, a Addr) (int, error) {
	if a < 0x1000 {
		return 0, &FaultError{Addr: a}
	}
	for i := range b {
		b[i] = 0xEE
	}
	return len(b), nil
}

func ids(s *Snapshot) []ThreadID {
	var out []ThreadID
	for i := range s.Threads {
		out = append(out, s.Threads[i].ID)
	}
	return out
}

func TestTakeFollowsThreadsThatComeAndGo(t *testing.T) {
	p := &fakeProcess{
		before:      []ThreadID{1, 2, 3, 4, 5},
		during:      []ThreadID{1, 3, 4, 9},
		gone:        map[ThreadID]bool{2: true},
		failCapture: map[ThreadID]error{3: ErrThreadGone, 4: errors.New("no registers")},
		stackSize:   100,
	}
	var s Snapshot
	for range 3 { // the buffers of one Take serve the next
		if err := Take(p, &s); err != nil {
			t.Fatal(err)
		}
		got := ids(&s)
		if len(got) != 3 || got[0] != 1 || got[1] != 4 || got[2] != 9 {
			t.Fatalf("threads %v, want 1, 4 and 9", got)
		}
		if s.Threads[1].Err == nil || s.Threads[2].Name != "described" {
			t.Errorf("thread 4: error %v; thread 9: name %q", s.Threads[1].Err, s.Threads[2].Name)
		}
		for _, th := range []*Thread{&s.Threads[0], &s.Threads[2]} {
			if len(th.Stacks) != 1 || th.Stacks[0].Bytes[0] != byte(th.ID) || th.Stacks[0].Bytes[99] != byte(th.ID) {
				t.Errorf("thread %d has another's stack: %v", th.ID, th.Stacks)
			}
		}
	}
	if p.suspended != 3 || p.resumed != 3 {
		t.Errorf("%d stops, %d resumes", p.suspended, p.resumed)
	}
}

func TestTakeReportsAnExitAndKeepsWhatItHas(t *testing.T) {
	p := &fakeProcess{
		before:      []ThreadID{1, 2, 3},
		during:      []ThreadID{1, 2, 3},
		failCapture: map[ThreadID]error{2: &ExitedError{PID: 1}},
		stackSize:   10,
	}
	var s Snapshot
	err := Take(p, &s)
	var exited *ExitedError
	if !errors.As(err, &exited) {
		t.Fatalf("error %v, want ExitedError", err)
	}
	if p.resumed != 1 || len(s.Threads) != 2 || s.Threads[0].ID != 1 || s.Threads[0].Err != nil {
		t.Errorf("resumed %d, threads %v", p.resumed, ids(&s))
	}
}

func TestTakeThatCannotStopHasNoThreads(t *testing.T) {
	p := &fakeProcess{before: []ThreadID{1}, failSuspend: errors.New("no")}
	var s Snapshot
	if err := Take(p, &s); err == nil || len(s.Threads) != 0 {
		t.Errorf("error %v, threads %v", err, ids(&s))
	}
}

func TestTakeMarksTruncationAndCopiesWhatIsWanted(t *testing.T) {
	p := &fakeProcess{before: []ThreadID{7}, during: []ThreadID{7}, stackSize: FirstStackLimit + 1}
	s := Snapshot{Want: map[ThreadID][]Addr{7: {0x10000, 0x10, 7<<32 + 5}}}
	if err := Take(p, &s); err != nil {
		t.Fatal(err)
	}
	th := &s.Threads[0]
	if !th.Stacks[0].Truncated() || len(th.Stacks[0].Bytes) != FirstStackLimit {
		t.Errorf("%d bytes, truncated %v", len(th.Stacks[0].Bytes), th.Stacks[0].Truncated())
	}
	if len(th.Stacks) != 2 || th.Stacks[1].Base != 0x10000 {
		t.Fatalf("%d ranges, want the stack and one more", len(th.Stacks))
	}
	var b [4]byte
	if n, err := th.ReadMemory(b[:], 0x10000); n != 4 || err != nil || b[0] != 0xEE {
		t.Errorf("read %d %v %x", n, err, b)
	}
	s.Limit = 2 * FirstStackLimit
	if err := Take(p, &s); err != nil || s.Threads[0].Stacks[0].Truncated() {
		t.Errorf("a higher limit did not give the whole stack: %v", err)
	}
}

func TestTakeMissesWhatItHasNoRoomFor(t *testing.T) {
	p := &fakeProcess{stackSize: 1}
	for i := range ThreadID(10 * spareThreads) {
		p.during = append(p.during, i+1)
	}
	var s Snapshot
	if err := Take(p, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Threads)+s.Missed != len(p.during) || s.Missed == 0 {
		t.Errorf("%d threads and %d missed of %d", len(s.Threads), s.Missed, len(p.during))
	}
}

func TestTakeAllocatesNothingOnceItHasItsBuffers(t *testing.T) {
	p := &fakeProcess{before: []ThreadID{1, 2}, during: []ThreadID{1, 2, 3}, stackSize: 1000}
	p.resumeFunc = p.resume
	s := Snapshot{Want: map[ThreadID][]Addr{2: {0x5000}}}
	if n := testing.AllocsPerRun(100, func() {
		if err := Take(p, &s); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations in a Take", n)
	}
}

func TestAddrAndEmptySnapshot(t *testing.T) {
	if got := Addr(0x1f).String(); got != "0x1f" {
		t.Errorf("String() = %s", got)
	}
	if (&Stack{Base: ^Addr(0) - 1, Bytes: make([]byte, 1)}).Contains(^Addr(0), 8) {
		t.Error("a range that wraps around is not contained")
	}
}

// TestRoomForSpareThreads is little: those that were listed are expected, and memory that is made and
// never used costs a one-shot of few threads more than they do.
func TestRoomForSpareThreads(t *testing.T) {
	p := &fakeProcess{before: make([]ThreadID, 50), stackSize: 1}
	var s Snapshot
	if err := s.Prepare(p); err != nil {
		t.Fatal(err)
	}
	if most := 50*usualStack + spareThreads*spareStack; len(s.arena) > most {
		t.Errorf("%d bytes for the stacks of 50 threads, want %d at most", len(s.arena), most)
	}
	if cap(s.Threads) < 50+spareThreads {
		t.Errorf("room for %d threads", cap(s.Threads))
	}
}
