package unwind

import (
	"encoding/binary"
	"slices"
	"testing"

	"stacksnap/task"
)

var prologues = map[task.Arch]string{
	task.AMD64: "\x55\x48\x89\xe5",                 // push %rbp; mov %rsp, %rbp
	task.ARM64: "\xfd\x7b\xbf\xa9\xfd\x03\x00\x91", // stp x29, x30, [sp, #-16]!; mov x29, sp
}

// callsAt is code in which a call of codeBase ends at each address, in functions
// that make a frame record first.
func callsAt(a task.Arch, returns ...uint64) bytesAt {
	b := make([]byte, codeEnd-codeBase)
	for _, r := range returns {
		off := r - codeBase
		copy(b[off&^0xff:], prologues[a])
		if a == task.ARM64 {
			binary.LittleEndian.PutUint32(b[off-4:], 0x94000000|uint32(-int32(off-4)/4)&0x3ffffff)
			continue
		}
		b[off-5] = 0xe8
		binary.LittleEndian.PutUint32(b[off-4:], uint32(-int32(off)))
	}
	return bytesAt{codeBase, b}
}

// strayed is a thread whose frame pointer leads nowhere, with leftovers on its
// stack below two frame records.
func strayed(a task.Arch) *task.Thread {
	return stacked(a, 0x10150, 0x666,
		7,       // no code
		0x10300, // a function
		0x10444, // code, but behind no call
		0x10540, // behind a call, but not what a frame record leads on from
		0x666,
		stackBase+7*8, 0x10640, // the caller's frame record
		stackBase+9*8, 0x10740, // its caller's
		0, 0)
}

func TestScan(t *testing.T) {
	for _, a := range []task.Arch{task.AMD64, task.ARM64} {
		code := callsAt(a, 0x10540, 0x10640, 0x10740)
		f := newFake(a)
		f.noStarts = a == task.ARM64 // where lr may be the caller otherwise
		frames, stop := New(Options{}).Walk(nil, strayed(a), mapOf(f), code)
		if got := pcs(frames); len(got) < 3 || got[1] != 0x10640 || got[2] != 0x10740 {
			t.Fatalf("%v: %#x, %v", a, got, stop)
		}
		if g := frames[1]; g.By != ByScan || !g.By.Guess() || g.Err == nil || !g.Return {
			t.Errorf("%v: found as %+v", a, g)
		}
		if stop.Reason == Bottom || stop.Err == nil {
			t.Errorf("%v: the walk ended with %+v, it is broken", a, stop)
		}
	}
}

// A guess that leads to an outermost function has led to the bottom.
func TestScanToTheBottom(t *testing.T) {
	th := stacked(task.AMD64, 0x10150, 0x666, 7, stackBase+3*8, 0x10640, stackBase+9*8, outer)
	frames, stop := New(Options{}).Walk(nil, th, mapOf(newFake(task.AMD64)), callsAt(task.AMD64, 0x10640, outer))
	if want := []uint64{0x10150, 0x10640, outer}; !slices.Equal(pcs(frames), want) || frames[1].By != ByScan || stop.Reason != Bottom {
		t.Errorf("%#x, %v, want %#x to the bottom", pcs(frames), stop, want)
	}
}

// Nothing is guessed where no code can be read, above what was captured, beyond
// the bounds, and where the walk has come to the bottom.
func TestScanIsBounded(t *testing.T) {
	th := strayed(task.AMD64)
	if frames, stop := New(Options{}).Walk(nil, th, mapOf(newFake(task.AMD64)), nil); len(frames) != 1 || stop.Reason == Bottom {
		t.Errorf("without code: %d frames, %v", len(frames), stop)
	}
	far := make([]uint64, maxScan+8)
	copy(far[maxScan+2:], []uint64{stackBase + (maxScan+4)*8, 0x10640, 0, 0x10740})
	th = stacked(task.AMD64, 0x10150, 0x666, far...)
	code := callsAt(task.AMD64, 0x10640, 0x10740)
	if frames, _ := New(Options{}).Walk(nil, th, mapOf(newFake(task.AMD64)), code); len(frames) != 1 {
		t.Errorf("beyond the bound: %d frames", len(frames))
	}
	th = stacked(task.AMD64, 0x10150, stackBase+16, 0x10640, 0, 0, 0, stackBase+56, 0x10740, 0, 0)
	frames, stop := New(Options{}).Walk(nil, th, mapOf(newFake(task.AMD64)), code)
	if stop.Reason != Bottom || slices.ContainsFunc(frames, func(f Frame) bool { return f.By == ByScan }) {
		t.Errorf("at the bottom: %+v, %v", frames, stop)
	}
}

// TestScanOfManyCandidates looks at the code before so many, and no more.
func TestScanOfManyCandidates(t *testing.T) {
	code := callsAt(task.AMD64, 0x10640, outer)
	for candidates, want := range map[uint64]int{maxCandidates - 1: 3, maxCandidates: 1} {
		words := []uint64{7} // no code
		for range candidates {
			words = append(words, 0x10350) // code, but behind no call
		}
		words = append(words, stackBase+(candidates+3)*8, 0x10640, stackBase+(candidates+9)*8, outer)
		th := stacked(task.AMD64, 0x10150, 0x666, words...)
		if frames, _ := New(Options{}).Walk(nil, th, mapOf(newFake(task.AMD64)), code); len(frames) != want {
			t.Errorf("behind %d candidates: %d frames, want %d: %#x", candidates, len(frames), want, pcs(frames))
		}
	}
}

// TestRecordAboveItsReturnAddress is none: a frame's record lies above what its
// callee has left.
func TestRecordAboveItsReturnAddress(t *testing.T) {
	th := stacked(task.AMD64, 0x10150, 0x666, stackBase+8, 0x10640, 0x10740, 0)
	frames, _ := New(Options{}).Walk(nil, th, mapOf(newFake(task.AMD64)), callsAt(task.AMD64, 0x10640, 0x10740))
	if len(frames) != 1 {
		t.Errorf("%#x", pcs(frames))
	}
}

func TestFollowsCall(t *testing.T) {
	for _, c := range []struct {
		arch task.Arch
		code []byte // up to the return address
		want bool
	}{
		{task.AMD64, []byte{0xff, 0xd0}, true},                         // call *%rax
		{task.AMD64, []byte{0x41, 0xff, 0xd3}, true},                   // call *%r11
		{task.AMD64, []byte{0xff, 0x15, 1, 2, 3, 4}, true},             // call *n(%rip)
		{task.AMD64, []byte{0x41, 0xff, 0x94, 0x24, 1, 2, 3, 4}, true}, // call *n(%r12)
		{task.AMD64, []byte{0xff, 0x50, 0x18}, true},                   // call *24(%rax)
		{task.AMD64, []byte{0xff, 0x60, 0x18}, false},                  // jmp *24(%rax)
		{task.AMD64, []byte{0xff, 0x30}, false},                        // push (%rax)
		{task.AMD64, []byte{0xe8, 0, 0, 0, 0x70}, false},               // a call of no code
		{task.ARM64, []byte{0, 0, 0x3f, 0xd6}, true},                   // blr x0
		{task.ARM64, []byte{0x11, 0x09, 0x3f, 0xd7}, true},             // blraa x8, x17
		{task.ARM64, []byte{0, 0, 0x1f, 0xd6}, false},                  // br x0
		{task.ARM64, []byte{0xff, 0xff, 0xff, 0x97}, true},             // bl
		{task.ARM64, []byte{0xff, 0xff, 0xff, 0x17}, false},            // b
		{task.ARM, []byte{0xff, 0xff, 0xff, 0xeb}, false},              // not known
	} {
		const pc = 0x10800
		u := New(Options{})
		u.walk.in, u.walk.arch = mapOf(newFake(c.arch)), c.arch
		u.walk.code = bytesAt{pc - task.Addr(len(c.code)), c.code}
		if len(c.code) < maxCall && c.arch == task.AMD64 {
			u.walk.code = bytesAt{pc - maxCall, append(make([]byte, maxCall-len(c.code)), c.code...)}
		}
		if got := u.followsCall(pc); got != c.want {
			t.Errorf("%v % x: %v", c.arch, c.code, got)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte{0xff, 0xd0}, []byte{1, 2, 3})
	f.Add(callsAt(task.AMD64, 0x10140, 0x10240).b[:0x400], strayed(task.AMD64).Stacks[0].Bytes)
	u := New(Options{})
	f.Fuzz(func(t *testing.T, code, stack []byte) {
		for _, a := range []task.Arch{task.AMD64, task.ARM64, task.I386, task.ARM} {
			th := stacked(a, 0x10150, 0x666)
			th.Stacks[0].Bytes = stack
			th.Stacks[0].Top = th.Stacks[0].End()
			frames, stop := u.Walk(nil, th, mapOf(newFake(a)), bytesAt{codeBase, code})
			for _, g := range frames {
				if last := frames[len(frames)-1].PC; g.By == ByScan && stop.Reason == Bottom && last < outer&^0xff {
					t.Fatalf("a guess led to a bottom that is none: %+v", frames)
				}
			}
		}
	})
}
