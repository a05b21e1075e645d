package unwind

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// What the kernel lays down, as its headers have it (arch/x86/include/asm/sigframe.h,
// arch/x86/include/uapi/asm/sigcontext.h; arch/arm/kernel/signal.h,
// arch/arm/include/uapi/asm/sigcontext.h). The word that a handler's return takes off
// the top, on I386 the first of each frame, is not in them.
type (
	context386 struct {
		GS, FS, ES, DS, DI, SI, BP, SP, BX, DX, CX, AX uint32
		Trap, Error, IP, CS, Flags, SPAtSignal, SS     uint32
	}
	ucontext386 struct {
		Flags, Link uint32
		Stack       [3]uint32
		Context     context386
	}
	frame386 struct {
		Signal  uint32
		Context context386
	}
	rtFrame386 struct {
		Signal, Info, Context uint32
		Siginfo               [32]uint32
		UContext              ucontext386
	}
	contextARM struct {
		Trap, Error, OldMask uint32
		R                    [16]uint32 // to fp, ip, sp, lr and pc
		CPSR, Fault          uint32
	}
	frameARM struct {
		Flags, Link uint32
		Stack       [3]uint32
		Context     contextARM
	}
	rtFrameARM struct {
		Siginfo [32]uint32
		Frame   frameARM
	}
)

var (
	interrupted386 = context386{DI: 7, SI: 6, BP: 5, SP: 0x7000_0400, BX: 3, DX: 2, CX: 1, AX: 0x55, IP: 0x1_2345}
	want386        = map[task.Reg]uint64{0: 0x55, 1: 1, 2: 2, 3: 3, 4: 0x7000_0400, 5: 5, 6: 6, 7: 7, 8: 0x1_2345}

	interruptedARM = contextARM{R: [16]uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0x7000_0400, 15, 0x1_2345}}
	wantARM        = map[task.Reg]uint64{0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7, 7: 8, 8: 9, 9: 10, 10: 11, 11: 12, 12: 13, 13: 0x7000_0400, 14: 15, 15: 0x1_2345}
)

// TestSigreturn32 returns from the handlers of 32-bit programs.
func TestSigreturn32(t *testing.T) {
	classic := frame386{10, interrupted386}
	modern := rtFrame386{UContext: ucontext386{Context: interrupted386}}
	frame := frameARM{Context: interruptedARM}
	for _, c := range []struct {
		arch      task.Arch
		code      string
		pops      int // the offset of the instruction by which a word is taken off the stack before
		interiors []int
		frame     any
		want      map[task.Reg]uint64
	}{
		{task.I386, "\x58\xb8\x77\x00\x00\x00\xcd\x80", 1, []int{0, 1, 6}, classic, want386},
		{task.I386, "\xb8\xad\x00\x00\x00\xcd\x80", 0, []int{0, 5}, modern, want386},
		{task.ARM, "\x77\x70\xa0\xe3\x00\x00\x00\xef", 0, []int{0, 4}, frame, wantARM},
		{task.ARM, "\x77\x70\xa0\xe3\x77\x00\x00\xef", 0, []int{0, 4}, frame, wantARM},
		{task.ARM, "\xad\x70\xa0\xe3\x00\x00\x00\xef", 0, []int{0, 4}, rtFrameARM{Frame: frame}, wantARM},
		{task.ARM, "\xad\x70\xa0\xe3\xad\x00\x00\xef", 0, []int{0, 4}, rtFrameARM{Frame: frame}, wantARM},
		{task.ARM, "\x77\x27\x00\xdf", 0, []int{0, 2}, frame, wantARM},
		{task.ARM, "\x77\x27\x77\xdf", 0, []int{0, 2}, frame, wantARM},
		{task.ARM, "\xad\x27\x00\xdf", 0, []int{0, 2}, rtFrameARM{Frame: frame}, wantARM},
		{task.ARM, "\xad\x27\xad\xdf", 0, []int{0, 2}, rtFrameARM{Frame: frame}, wantARM},
	} {
		t.Run(fmt.Sprintf("%v_%x", c.arch, c.code), func(t *testing.T) {
			var stack bytes.Buffer
			if err := binary.Write(&stack, binary.LittleEndian, c.frame); err != nil {
				t.Fatal(err)
			}
			for at := range len(c.code) + 1 {
				q := rule.Query{Arch: c.arch, PC: codeBase + task.Addr(at), First: true, Code: bytesAt{codeBase, []byte(c.code)}}
				b := stack.Bytes()
				if c.pops > 0 && at >= c.pops {
					b = b[c.arch.PointerSize():]
				}
				returned(t, q, b, c.want, slices.Contains(c.interiors, at))
			}
			q := rule.Query{Arch: c.arch, PC: codeBase - 1, Code: bytesAt{codeBase, []byte(c.code)}}
			returned(t, q, stack.Bytes(), c.want, true)
			q.PC += task.Addr(c.interiors[len(c.interiors)-1])
			returned(t, q, stack.Bytes(), c.want, false)
		})
	}
}

// returned wants the registers where q is in a trampoline and the stack as given, and
// no rule elsewhere.
func returned(t *testing.T, q rule.Query, stack []byte, want map[task.Reg]uint64, in bool) {
	t.Helper()
	r, err := new(sigreturn).Rule(q)
	if !in {
		if err == nil {
			t.Errorf("at %v: a rule", q.PC)
		}
		return
	}
	if err != nil {
		t.Errorf("at %v: %v", q.PC, err)
		return
	}
	th := stacked(q.Arch, uint64(q.PC), 0)
	th.Stacks[0] = task.Stack{Base: stackBase, Bytes: stack}
	leads(t, q, th, &r, want)
}
