package unwind

import (
	"encoding/binary"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
)

// FuzzWalk walks arbitrary stacks from arbitrary registers through code with
// arbitrary call frame information, instructions and names: it must end, and
// show nothing but code.
func FuzzWalk(f *testing.F) {
	for _, tt := range walks {
		th := tt.thread()
		var stack []byte
		if len(th.Stacks) > 0 {
			stack = th.Stacks[0].Bytes
		}
		f.Add(stack, uint64(th.Registers.PC()), uint64(th.Registers.FP()), uint64(th.Registers.LR()),
			ehFrame(4).Data, []byte{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}, uint8(th.Registers.Arch), uint16(64), false)
	}
	f.Fuzz(func(t *testing.T, stack []byte, pc, fp, lr uint64, frame, code []byte, arch uint8, split uint16, golang bool) {
		a := task.Arch(arch%4 + 1)
		file := newFake(a)
		file.sections = map[object.Kind]object.Section{object.EHFrame: {VMAddr: 0x40000, Data: frame}}
		if golang {
			file.sections[object.GoPCLnTab] = object.Section{}
			file.names = map[uint64]string{0x10200: "runtime.systemstack", 0x10300: "runtime.goexit"}
		}
		u := New(Options{CodeMask: 1<<47 - 1, Executable: func(a task.Addr) bool { return a>>12 == 0x555 }})
		m := mapOf(file)
		th := split2(a, stack, int(split))
		th.Registers.Set(a.PC(), pc)
		th.Registers.Set(a.FP(), fp)
		if reg, ok := a.LR(); ok {
			th.Registers.Set(reg, lr)
		}
		for range 2 {
			frames, stop := u.Walk(nil, th, m, bytesAt{0x10300, code})
			check(t, u, frames, stop)
		}
	})
}

// split2 is a thread with two ranges of stack.
func split2(a task.Arch, stack []byte, at int) *task.Thread {
	at = min(at, len(stack))
	t := &task.Thread{Stacks: []task.Stack{
		{Base: stackBase, Bytes: stack[:at], Top: stackBase + 0x10000}, {Base: 0x5000, Bytes: stack[at:]}}}
	t.Registers.Arch = a
	for i := range task.Reg(a.NumRegisters()) {
		t.Registers.Set(i, stackBase+uint64(i)*16)
	}
	t.Registers.Set(a.SP(), stackBase)
	return t
}

func check(t *testing.T, u *Unwinder, frames []Frame, stop Stop) {
	if len(frames) > MaxFrames {
		t.Fatalf("%d frames", len(frames))
	}
	for i, f := range frames {
		if i == 0 || !f.Return {
			continue
		}
		if _, r, ok := u.walk.in.Range(f.PC - 1); (!ok || r.Prot&task.Execute == 0) && (f.PC-1)>>12 != 0x555 {
			t.Errorf("frame %d at %v is not in code", i, f.PC)
		}
	}
	if stop.Reason == Bottom && stop.Need != 0 {
		t.Errorf("%+v", stop)
	}
}

// TestMillionFrames walks as deep a recursion as can be captured: bounded, and
// marked as cut.
func TestMillionFrames(t *testing.T) {
	const n = 1_000_000
	stack := make([]byte, 16*n)
	for i := range uint64(n) {
		binary.LittleEndian.PutUint64(stack[16*i:], stackBase+16*(i+1))
		binary.LittleEndian.PutUint64(stack[16*i+8:], 0x10220)
	}
	th := stacked(task.AMD64, 0x10120, stackBase)
	th.Stacks[0] = task.Stack{Base: stackBase, Bytes: stack}
	frames, stop := New(Options{}).Walk(nil, th, mapOf(newFake(task.AMD64)), nil)
	if len(frames) != MaxFrames || stop.Reason != TooDeep {
		t.Errorf("%d frames, %v", len(frames), stop.Reason)
	}
}

// TestCorruptedStack overwrites a part of a stack: what lies above it is only
// guessed at, and the walk says that it broke.
func TestCorruptedStack(t *testing.T) {
	const bad = 5 // the frame record that is lost
	var words []uint64
	for i := range uint64(10) {
		words = append(words, stackBase+(i+1)*16, 0x10240+i*0x100)
	}
	words = append(words, 0, 0)
	for i := 2 * bad; i < 2*bad+2; i++ {
		words[i] = 0x4141414141414141
	}
	var returns []uint64
	for i := range uint64(10) {
		returns = append(returns, 0x10240+i*0x100)
	}
	th := stacked(task.AMD64, 0x10140, stackBase, words...)
	frames, stop := New(Options{}).Walk(nil, th, mapOf(newFake(task.AMD64)), callsAt(task.AMD64, append(returns, 0x10140)...))
	if stop.Reason != BadPointer || stop.Err == nil {
		t.Errorf("ended with %+v", stop)
	}
	for i, f := range frames[1:] {
		if f.By.Guess() != (i == bad) {
			t.Errorf("frame %d: %+v", i+1, f)
		}
	}
	if len(frames) < bad+2 || frames[bad+1].By != ByScan {
		t.Errorf("%+v", frames)
	}
}
