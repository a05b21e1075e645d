package unwind

import (
	"errors"
	"slices"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

const sb = stackBase

// walks are captured threads in code that no unwind information covers.
var walks = []struct {
	name   string
	thread func() *task.Thread
	file   func(*fakeFile)
	opts   Options
	code   task.Memory
	want   []uint64
	by     Method // of the second frame
	reason Reason
	need   task.Addr
}{
	{
		name:   "frame pointers to an outermost function, AMD64",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, sb, sb+16, 0x10220, 0, outer) },
		want:   []uint64{0x10120, 0x10220, outer}, by: ByFramePointer, reason: Bottom,
	},
	{
		name:   "frame pointers to a zero frame pointer, AMD64",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, sb, sb+16, 0x10220, 0, 0x10420) },
		want:   []uint64{0x10120, 0x10220, 0x10420}, by: ByFramePointer, reason: NoCaller,
	},
	{
		name:   "a compiler's code with zero for a frame pointer",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x555120, 0, 1, 2, 0x10220, 0, 0x10320) },
		opts:   Options{Executable: func(a task.Addr) bool { return a>>12 == 0x555 }},
		want:   []uint64{0x555120}, reason: NoCaller,
	},
	{
		name:   "frame pointers to a zero return address, I386",
		thread: func() *task.Thread { return stacked(task.I386, 0x10120, sb, sb+8, 0x10220, 1, 0) },
		want:   []uint64{0x10120, 0x10220}, by: ByFramePointer, reason: NoCaller,
	},
	{
		name:   "Thumb bits, ARM",
		thread: func() *task.Thread { return stacked(task.ARM, 0x10120, sb, 0, 0x10221) },
		want:   []uint64{0x10120, 0x10220}, by: ByFramePointer, reason: NoCaller,
	},
	{
		name: "signed return addresses and Swift's bit, ARM64",
		thread: func() *task.Thread {
			return stacked(task.ARM64, 0x10120, sb, 1<<60|sb+16, 0xabcd<<48|0x10220, 0, outer)
		},
		opts: Options{CodeMask: 1<<47 - 1},
		want: []uint64{0x10120, 0x10220, outer}, by: ByFramePointer, reason: Bottom,
	},
	{
		name:   "function entry, AMD64",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10100, sb+8, 0x10220, 0, outer) },
		want:   []uint64{0x10100, 0x10220, outer}, by: ByAnalysis, reason: Bottom,
	},
	{
		name:   "behind push, AMD64",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10105, 0x123, sb+16, 0x10220, 0, outer) },
		code:   bytesAt{0x10100, []byte{0xf3, 0x0f, 0x1e, 0xfa, 0x55}},
		want:   []uint64{0x10105, 0x10220, outer}, by: ByAnalysis, reason: Bottom,
	},
	{
		name:   "call through a null pointer, AMD64",
		thread: func() *task.Thread { return stacked(task.AMD64, 0, sb+8, 0x10220, 0, outer) },
		want:   []uint64{0, 0x10220, outer}, by: ByAnalysis, reason: Bottom,
	},
	{
		name:   "call through a null pointer, ARM64",
		thread: func() *task.Thread { return linked(stacked(task.ARM64, 0, sb, 0, outer), 0x10220) },
		want:   []uint64{0, 0x10220, outer}, by: ByLinkRegister, reason: Bottom,
	},
	{
		name:   "leaf without a frame, ARM64",
		thread: func() *task.Thread { return linked(stacked(task.ARM64, 0x10120, sb, 0, outer), 0x10220) },
		want:   []uint64{0x10120, 0x10220, outer}, by: ByLinkRegister, reason: Bottom,
	},
	{
		name:   "a function that has called itself, at its first instruction, ARM64",
		thread: func() *task.Thread { return linked(stacked(task.ARM64, 0x10100, sb, 0, outer), 0x10120) },
		want:   []uint64{0x10100, 0x10120, outer}, by: ByAnalysis, reason: Bottom,
	},
	{
		name:   "link register saved already, ARM64",
		thread: func() *task.Thread { return linked(stacked(task.ARM64, 0x10120, sb, 0, 0x10220), 0x10220) },
		want:   []uint64{0x10120, 0x10220}, by: ByFramePointer, reason: NoCaller,
	},
	{
		name:   "link register of a call that returned, ARM64",
		thread: func() *task.Thread { return linked(stacked(task.ARM64, 0x10120, sb, 0, 0x10220), 0x10110) },
		want:   []uint64{0x10120, 0x10220}, by: ByFramePointer, reason: NoCaller,
	},
	{
		name:   "functions cannot be told apart, ARM64",
		thread: func() *task.Thread { return linked(stacked(task.ARM64, 0x10120, sb, 0, outer), 0x10220) },
		file:   func(f *fakeFile) { f.noStarts = true },
		want:   []uint64{0x10120, outer}, by: ByFramePointer, reason: Bottom,
	},
	{
		name:   "frame pointer to itself",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, sb, sb, 0x10220) },
		want:   []uint64{0x10120, 0x10220}, by: ByFramePointer, reason: Loop,
	},
	{
		name:   "frame pointer below",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, sb+16, sb, 0x10220, sb, 0x10220) },
		want:   []uint64{0x10120, 0x10220}, by: ByFramePointer, reason: Loop,
	},
	{
		name:   "frame pointer not aligned",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, sb+1, 0, 0x1022000, 0, 0) },
		want:   []uint64{0x10120}, reason: BadPointer,
	},
	{
		name:   "frame pointer into nothing",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, 0x1234560, 0, 0, 0) },
		want:   []uint64{0x10120}, reason: BadPointer,
	},
	{
		name:   "frame pointer at the end of memory",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, ^uint64(15), 0, 0, 0) },
		want:   []uint64{0x10120}, reason: BadPointer,
	},
	{
		name:   "return address in data",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, sb, sb+16, 0x20200, 0, 0) },
		want:   []uint64{0x10120}, reason: BadPointer,
	},
	{
		name:   "a call at the very end of the code",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, sb, 0, codeEnd) },
		want:   []uint64{0x10120, codeEnd}, by: ByFramePointer, reason: Bottom,
	},
	{
		name:   "code of a JIT compiler",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x555120, sb, sb+16, 0x555220, 0, outer) },
		opts:   Options{Executable: func(a task.Addr) bool { return a>>12 == 0x555 }},
		want:   []uint64{0x555120, 0x555220, outer}, by: ByFramePointer, reason: Bottom,
	},
	{
		name: "a stack that goes on",
		thread: func() *task.Thread {
			t := stacked(task.AMD64, 0x10120, sb, sb+16, 0x10220, sb+0x100, 0x10320)
			t.Stacks[0].Top += 0x1000
			return t
		},
		want: []uint64{0x10120, 0x10220, 0x10320}, by: ByFramePointer, reason: NotCaptured, need: sb + 0x108,
	},
	{
		name: "on to another captured stack",
		thread: func() *task.Thread {
			t := stacked(task.AMD64, 0x10120, sb, 0x5000, 0x10220)
			t.Stacks = append(t.Stacks, rangeOf(task.AMD64, 0x5000, 0, outer))
			return t
		},
		want: []uint64{0x10120, 0x10220, outer}, by: ByFramePointer, reason: Bottom,
	},
	{
		name: "back to a stack that was left",
		thread: func() *task.Thread {
			t := stacked(task.AMD64, 0x10120, sb, 0x5000, 0x10220, 0, 0x10420)
			t.Stacks = append(t.Stacks, rangeOf(task.AMD64, 0x5000, sb+16, 0x10320))
			return t
		},
		want: []uint64{0x10120, 0x10220, 0x10320}, by: ByFramePointer, reason: Loop,
	},
	{
		name:   "another stack that was not captured",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, sb, 0x5000, 0x10220) },
		code:   words(task.AMD64, 0x5000, 0, 0x10320),
		want:   []uint64{0x10120, 0x10220}, by: ByFramePointer, reason: NotCaptured, need: 0x5008,
	},
	{
		name:   "no frame pointer at all",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, 0, 0, 0x10220) },
		want:   []uint64{0x10120}, reason: NoCaller,
	},
	{
		name:   "the end of a goroutine",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, sb, sb+16, 0x10221, sb, 0x10320) },
		file:   golang("runtime.goexit"),
		want:   []uint64{0x10120, 0x10221}, by: ByFramePointer, reason: Bottom,
	},
	{
		name:   "the start of a thread of Go's own",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, sb, 0, 0x10221, 0x666) },
		file:   golang("runtime.mstart"),
		want:   []uint64{0x10120, 0x10221}, by: ByFramePointer, reason: Bottom,
	},
	{
		name:   "the start of a thread that C has made for Go",
		thread: func() *task.Thread { return stacked(task.AMD64, 0x10120, sb, 0, 0x10221, outer) },
		file:   golang("runtime.mstart"),
		code:   bytesAt{outer - 8, []byte{0, 0, 0, 0, 0, 0, 0xff, 0xd0}},
		want:   []uint64{0x10120, 0x10221, outer}, by: ByFramePointer, reason: Bottom,
	},
	{
		name: "from the scheduler's stack down to a goroutine's beside it",
		thread: func() *task.Thread {
			t := stacked(task.AMD64, 0x10120, sb+32, 0, outer, 0, 0, sb, 0x10221)
			t.Registers.Set(7, sb+32)
			return t
		},
		file: golang("runtime.systemstack.abi0"),
		want: []uint64{0x10120, 0x10221, outer}, by: ByFramePointer, reason: Bottom,
	},
	{
		name:   "a signal handler on a stack of its own",
		thread: onSignalStack,
		code:   bytesAt{0x10300, []byte{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}},
		want:   []uint64{0x10100, 0x10300, 0x10400, outer}, by: ByAnalysis, reason: Bottom,
	},
	{
		name: "a signal handler, the stack below it not captured",
		thread: func() *task.Thread {
			t := onSignalStack()
			t.Stacks = t.Stacks[:1]
			return t
		},
		code: both{bytesAt{0x10300, []byte{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}}, words(task.AMD64, 0x5000, outer)},
		want: []uint64{0x10100, 0x10300, 0x10400}, by: ByAnalysis, reason: NotCaptured, need: 0x5000,
	},
	{
		name:   "no registers",
		thread: func() *task.Thread { return &task.Thread{Registers: task.Registers{Arch: task.AMD64}} },
		reason: NoRegisters,
	},
	{
		name: "a stack pointer into nothing",
		thread: func() *task.Thread {
			t := stacked(task.AMD64, 0x10100, sb)
			t.Stacks = nil
			return t
		},
		want: []uint64{0x10100}, reason: BadPointer,
	},
}

// linked sets the link register.
func linked(t *task.Thread, lr uint64) *task.Thread {
	t.Registers.Set(30, lr)
	return t
}

// golang makes the function at 0x10200 one of Go's runtime.
func golang(name string) func(*fakeFile) {
	return func(f *fakeFile) {
		f.sections = map[object.Kind]object.Section{object.GoPCLnTab: {Data: []byte{0}}}
		f.names[0x10200] = name
	}
}

// onSignalStack is a thread at the first instruction of a signal handler, which
// returns to 0x10300; at 0x5000 it was interrupted, at a function's start.
func onSignalStack() *task.Thread {
	w := make([]uint64, 64)
	w[0] = 0x10300
	context := w[1:]
	context[5+15], context[5+16] = 0x5000, 0x10400 // rsp, rip
	context[5+10] = 0                              // rbp
	t := stacked(task.AMD64, 0x10100, 0, w...)
	t.Stacks = append(t.Stacks, rangeOf(task.AMD64, 0x5000, outer))
	return t
}

// both is two memories.
type both [2]task.Memory

func (b both) ReadMemory(p []byte, a task.Addr) (int, error) {
	if n, err := b[0].ReadMemory(p, a); err == nil {
		return n, nil
	}
	return b[1].ReadMemory(p, a)
}

func TestWalk(t *testing.T) {
	for _, tt := range walks {
		t.Run(tt.name, func(t *testing.T) {
			th := tt.thread()
			f := newFake(th.Registers.Arch)
			if tt.file != nil {
				tt.file(f)
			}
			m := mapOf(f)
			u := New(tt.opts)
			for range 2 { // the second time from the cache
				frames, stop := u.Walk(nil, th, m, tt.code)
				if !slices.Equal(pcs(frames), tt.want) || stop.Reason != tt.reason || stop.Need != tt.need {
					t.Fatalf("%#x, %+v, want %#x, %v, %v", pcs(frames), stop, tt.want, tt.reason, tt.need)
				}
				if len(frames) > 1 && frames[1].By != tt.by {
					t.Errorf("found by %v, want %v", frames[1].By, tt.by)
				}
			}
		})
	}
}

func TestReturnMarksAndReasons(t *testing.T) {
	th := onSignalStack()
	code := bytesAt{0x10300, []byte{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}}
	frames, _ := New(Options{}).Walk(nil, th, mapOf(newFake(task.AMD64)), code)
	for i, want := range []bool{false, false, false, true} {
		if frames[i].Return != want {
			t.Errorf("frame %d: Return = %v", i, frames[i].Return)
		}
	}
	th = stacked(task.AMD64, 0x10120, sb, 0, 0x10220)
	frames, _ = New(Options{}).Walk(nil, th, mapOf(newFake(task.AMD64)), nil)
	if frames[0].Err != nil || frames[1].Err == nil {
		t.Errorf("a guess needs a reason: %+v", frames)
	}
}

// deep is a chain of n frame records.
func deep(a task.Arch, n int) *task.Thread {
	w := uint64(a.PointerSize())
	var words []uint64
	for i := range uint64(n) {
		words = append(words, sb+(i+1)*2*w, 0x10220)
	}
	words = append(words, 0, 0x10320)
	return stacked(a, 0x10120, sb, words...)
}

func TestTooDeep(t *testing.T) {
	frames, stop := New(Options{}).Walk(nil, deep(task.AMD64, 2*MaxFrames), mapOf(newFake(task.AMD64)), nil)
	if len(frames) != MaxFrames || stop.Reason != TooDeep {
		t.Errorf("%d frames, %v", len(frames), stop.Reason)
	}
}

// inTurn has one rule for the frame that was interrupted, and one for the others.
type inTurn struct{ first, others rule.Rule }

func (s *inTurn) Rule(q rule.Query) (rule.Rule, error) {
	if q.First {
		return s.first, nil
	}
	return s.others, nil
}

// A frame record that points at itself, just below sp, leads to the same place for
// ever. Only who has its return address in a register needs no room on the stack.
func TestRecordOfItself(t *testing.T) {
	th := stacked(task.ARM64, 0x10120, sb-16)
	th.Stacks = []task.Stack{rangeOf(task.ARM64, sb-16, sb-16, 0x10220, 0, 0)}
	th.Registers.Set(19, 0x10220)
	th.Registers.Set(20, 0x10320)
	held := func(in task.Reg) rule.Rule {
		r := rule.Frameless(task.ARM64, 0)
		r.RA = rule.Add(in, 0)
		r.Save(in, rule.Value{})
		return r
	}
	record := rule.FramePointer(task.ARM64)
	for _, c := range []struct {
		source inTurn
		want   []uint64
		reason Reason
	}{
		{inTurn{record, record}, []uint64{0x10120, 0x10220}, Loop},
		{inTurn{held(20), held(19)}, []uint64{0x10120, 0x10320, 0x10220}, NoCaller},
	} {
		u := New(Options{Sources: []Ranked{{ByAnalysis, &c.source}}})
		frames, stop := u.Walk(nil, th, mapOf(newFake(task.ARM64)), nil)
		if !slices.Equal(pcs(frames), c.want) || stop.Reason != c.reason {
			t.Errorf("%#x, %+v, want %#x", pcs(frames[:min(len(frames), 9)]), stop, c.want)
		}
	}
}

// doubting answers nothing, because of an error.
type doubting struct{}

var errDoubt = errors.New("it cannot be told")

func (doubting) Rule(rule.Query) (rule.Rule, error) { return rule.Rule{}, errDoubt }

// TestDoubtedBottom: a zero return address that a rule leads to which a better source could
// not confirm is not the bottom of the stack.
func TestDoubtedBottom(t *testing.T) {
	th := stacked(task.AMD64, 0x10120, 0, 0)
	body := Ranked{ByCompact, always{rule.Frameless(task.AMD64, 0)}}
	if _, stop := New(Options{Sources: []Ranked{body}}).Walk(nil, th, mapOf(newFake(task.AMD64)), nil); stop != (Stop{}) {
		t.Errorf("the rule alone: %v", stop)
	}
	sources := []Ranked{{ByAnalysis, doubting{}}, body}
	frames, stop := New(Options{Sources: sources}).Walk(nil, th, mapOf(newFake(task.AMD64)), nil)
	if len(frames) != 1 || stop != (Stop{Reason: NoCaller, Err: errDoubt}) {
		t.Errorf("doubted: %d frames, %v", len(frames), stop)
	}
}

func TestWalkAppends(t *testing.T) {
	dst := []Frame{{PC: 1}}
	dst, _ = New(Options{}).Walk(dst, deep(task.AMD64, 1), mapOf(newFake(task.AMD64)), nil)
	if len(dst) != 4 || dst[0].PC != 1 {
		t.Errorf("%+v", dst)
	}
}

func TestWithoutImages(t *testing.T) {
	for _, m := range []*images.Map{nil, images.NewMap(nil)} {
		frames, stop := New(Options{}).Walk(nil, deep(task.AMD64, 1), m, nil)
		if len(frames) != 1 || stop.Reason == Bottom {
			t.Errorf("%+v, %+v", frames, stop)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	th, m := deep(task.ARM64, 50), mapOf(newFake(task.ARM64))
	u := New(Options{CodeMask: 1<<47 - 1})
	dst, _ := u.Walk(nil, th, m, nil)
	if n := testing.AllocsPerRun(100, func() { dst, _ = u.Walk(dst[:0], th, m, nil) }); n != 0 {
		t.Errorf("%v allocations a walk", n)
	}
}
