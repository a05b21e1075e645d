package unwind

import (
	"bytes"
	"slices"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// goesBack is the code behind the call of runtime.asmcgocall (Go 1.26.8, Darwin).
var goesBack = bytesAt{0x10221, append([]byte{
	0x48, 0x8b, 0x7c, 0x24, 0x08, 0x48, 0x8b, 0x77, 0x08, 0x48, 0x2b, 0x34, 0x24,
	0x65, 0x48, 0x89, 0x3c, 0x25, 0x30, 0x00, 0x00, 0x00, 0x48, 0x89, 0xf4, 0x89, 0x44, 0x24, 0x20, 0x5d, 0xc3,
}, bytes.Repeat([]byte{0xcc}, 0x60)...)}

// The goroutine of the tests: its g, and its stack's end, 0x400 above where it
// called C.
const (
	goroutine      = 0x9000
	goroutineStack = 0x5800
	calledCAt      = goroutineStack - 0x400
)

// inC is a thread in a function of C that a goroutine has called, which had not
// kept the frame pointer. Some of the goroutine's stack was captured.
func inC(captured ...task.Stack) *task.Thread {
	t := stacked(task.AMD64, 0x10120, sb, 0x666, 0x10221, goroutineStack-calledCAt, goroutine)
	t.Stacks = append(t.Stacks, captured...)
	return t
}

func TestFromCToTheGoroutine(t *testing.T) {
	g := words(task.AMD64, goroutine, 0, goroutineStack)
	live := words(task.AMD64, calledCAt, 0, outer)
	for _, tt := range []struct {
		name   string
		thread *task.Thread
		code   task.Memory
		want   []uint64
		stop   Stop
	}{
		{"there", inC(rangeOf(task.AMD64, calledCAt, sb, outer)), both{goesBack, both{g, callsOuter}},
			[]uint64{0x10120, 0x10221, outer}, Stop{}},
		{"not captured yet, from the frame pointer on", inC(), both{goesBack, both{g, live}},
			[]uint64{0x10120, 0x10221}, Stop{Reason: NotCaptured, Need: calledCAt}},
		{"not behind a call", inC(rangeOf(task.AMD64, calledCAt, sb, outer)), both{goesBack, g},
			[]uint64{0x10120, 0x10221}, Stop{Reason: BadPointer}},
		{"of which nothing can be read", inC(rangeOf(task.AMD64, calledCAt, sb, outer)), both{goesBack, callsOuter},
			[]uint64{0x10120, 0x10221}, Stop{Reason: NoCaller}},
	} {
		f := newFake(task.AMD64)
		golang("runtime.asmcgocall.abi0")(f)
		frames, stop := New(Options{}).Walk(nil, tt.thread, mapOf(f), tt.code)
		if !slices.Equal(pcs(frames), tt.want) || stop.Reason != tt.stop.Reason || stop.Need != tt.stop.Need {
			t.Errorf("%s: %#x, %+v, want %#x, %+v", tt.name, pcs(frames), stop, tt.want, tt.stop)
		}
		if len(frames) == 3 && (frames[2].By != ByAnalysis || frames[2].Err != nil) {
			t.Errorf("%s: found by %v: %v", tt.name, frames[2].By, frames[2].Err)
		}
	}
}

// A walk with this rule allocates nothing.
func TestFromCAllocatesNothing(t *testing.T) {
	f := newFake(task.AMD64)
	golang("runtime.asmcgocall.abi0")(f)
	m, u, th := mapOf(f), New(Options{}), inC(rangeOf(task.AMD64, calledCAt, sb, outer))
	var mem task.Memory = steady{goesBack, words(task.AMD64, goroutine, 0, goroutineStack), callsOuter}
	frames := make([]Frame, 0, 8)
	walk := func() {
		if got, _ := u.Walk(frames, th, m, mem); len(got) != 3 {
			t.Fatalf("%#x", pcs(got))
		}
	}
	walk()
	if n := testing.AllocsPerRun(100, walk); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Who has called runtime.mstart gets no frame pointer from it, which it has cleared.
func TestStartedLosesTheFramePointer(t *testing.T) {
	f := newFake(task.AMD64)
	golang("runtime.mstart")(f)
	im, _ := mapOf(f).Find(0x10220)
	r, err := new(goStarted).Rule(rule.Query{Arch: task.AMD64, Image: im, PC: 0x10220, Code: nowhere{}})
	if want := "cfa = sp + 8; fp = lost; pc = *(cfa - 8)"; err != nil || r.Format(task.AMD64) != want {
		t.Errorf("%s, %v, want %s", r.Format(task.AMD64), err, want)
	}
}

// callsOuter is the call that returns to outer.
var callsOuter = bytesAt{outer - 8, []byte{0, 0, 0, 0, 0, 0, 0xff, 0xd0}}

// steady is memory that allocates nothing where there is none.
type steady []bytesAt

func (s steady) ReadMemory(p []byte, a task.Addr) (int, error) {
	for _, m := range s {
		if a >= m.at && a+task.Addr(len(p)) <= m.at+task.Addr(len(m.b)) {
			return copy(p, m.b[a-m.at:]), nil
		}
	}
	return 0, errNowhere
}
