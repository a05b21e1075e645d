package unwind

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// What Darwin's kernel lays down for a handler in 32 bits: the arguments of _sigtramp
// that are on the stack, and the structures that they lead to (xnu bsd/dev/i386 and
// bsd/dev/arm, unix_signal.c; bsd/sys/ucontext.h; osfmk/mach/i386 and arm, _structs.h).
type (
	arguments386 struct {
		Return, Catcher, Style, Signal, Info, UContext uint32
	}
	ucontextDarwin32 struct {
		OnStack, Mask uint32
		Stack         [3]uint32
		Link          uint32
		Size, Context uint32
	}
	mcontext386 struct {
		Exception                                         [3]uint32
		AX, BX, CX, DX, DI, SI, BP, SP, SS, Flags, IP, CS uint32
	}
	mcontextDarwinARM struct {
		Exception [3]uint32
		R         [16]uint32 // to r12, sp, lr and pc
		CPSR      uint32
	}
)

// _sigtramp as libplatform has it, of i386 in assembly and of armv7 in C:
//
//	push ebp; mov ebp, esp; sub esp, 24; …; call *ecx; decl …; …; call ___sigreturn; ud2
//	push {r7, lr}; mov r7, sp; …; blx r3; …; bl ___sigreturn; trap
const (
	sigtramp386 = "\x55\x89\xe5\x83\xec\x18\x8b\x4d\x08\xff\x05\x34\x12\x00\x00\x8b\x55\x10\x89\x14\x24\x8b\x45\x14\x89\x44\x24\x04" +
		"\x8b\x5d\x18\x89\x5c\x24\x08\xff\xd1\xff\x0d\x34\x12\x00\x00\x89\x1c\x24\xc7\x44\x24\x04\x1e\x00\x00\x00\xe8\xc5\xff\xff\xff\x0f\x0b"
	sigtrampARM = "\x80\xb5\x6f\x46\x40\xf2\x18\x05\xbc\x68\xc0\xf2\x00\x05\x19\x46\x7d\x44\x03\x46\x10\x46\x2a\x60\x22\x46\x98\x47" +
		"\xfa\x68\x00\x20\x28\x60\x20\x46\x1e\x21\xff\xf7\xeb\xff\xfe\xde"
)

// standing is a place in _sigtramp: how far below the kernel's frame sp is, and the frame
// pointer; 0: it is that of the function that was interrupted.
type standing struct {
	at     task.Addr
	sp, fp uint64
}

// TestSigtramp32 leaves _sigtramp for the function that a signal interrupted.
func TestSigtramp32(t *testing.T) {
	const frame, uctx, mctx = stackBase + 0x40, stackBase + 0x80, stackBase + 0xc0
	for _, c := range []struct {
		arch      task.Arch
		code      string
		arguments any
		mcontext  any
		stands    []standing // the last in the call of the handler
		want      map[task.Reg]uint64
	}{
		{
			task.I386, sigtramp386, arguments386{UContext: uctx},
			mcontext386{DI: 7, SI: 6, BP: 5, SP: 0x7000_0400, BX: 3, DX: 2, CX: 1, AX: 0x55, IP: 0x1_2345},
			[]standing{{0, 0, 0}, {1, 4, 0}, {3, 4, 4}, {6, 28, 4}, {0x23, 28, 4}, {0x24, 28, 4}}, want386,
		},
		{
			task.ARM, sigtrampARM, uint32(uctx), mcontextDarwinARM{R: interruptedARM.R},
			[]standing{{0, 0, 0}, {2, 8, 0}, {4, 8, 8}, {0x1a, 8, 8}, {0x1b, 8, 8}}, wantARM,
		},
	} {
		stack := make([]byte, 0x200)
		for at, v := range map[uint64]any{frame: c.arguments, uctx: ucontextDarwin32{Context: mctx}, mctx: c.mcontext} {
			var b bytes.Buffer
			if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
			copy(stack[at-stackBase:], b.Bytes())
		}
		for i, st := range c.stands {
			fp := uint64(0x7000_0300)
			if st.fp > 0 {
				fp = frame - st.fp
			}
			th := stacked(c.arch, uint64(codeBase+st.at), fp)
			th.Stacks[0] = task.Stack{Base: stackBase, Bytes: stack}
			th.Registers.Set(c.arch.SP(), frame-st.sp)
			q := inSigtramp(c.arch, c.code, st.at)
			q.First = i < len(c.stands)-1
			r, err := Sources()[1].Source.Rule(q)
			if err != nil {
				t.Errorf("%v at %#x: %v", c.arch, st.at, err)
				continue
			}
			leads(t, q, th, &r, c.want)
			if want := rule.Signal | rule.Calling; r.Flags != want {
				t.Errorf("%v at %#x: flags %v, want %v", c.arch, st.at, r.Flags, want)
			}
			th.Stacks[0].Bytes = stack[:uctx-stackBase+16]
			var s rule.State
			s.Reset(th)
			if err := s.Apply(&r); err != rule.ErrNotCaptured {
				t.Errorf("%v at %#x: %v of a ucontext that was not captured", c.arch, st.at, err)
			}
		}
	}
}

// TestMachAMD64: the order of x86_thread_state64 (xnu osfmk/mach/i386/_structs.h), by the
// numbers that DWARF gives to the registers (System V ABI, AMD64 supplement, figure 3.36).
func TestMachAMD64(t *testing.T) {
	numbers := map[string]task.Reg{"rax": 0, "rdx": 1, "rcx": 2, "rbx": 3, "rsi": 4, "rdi": 5, "rbp": 6, "rsp": 7, "rip": 16}
	for r := task.Reg(8); r < 16; r++ {
		numbers[fmt.Sprintf("r%d", r)] = r
	}
	for i, name := range strings.Fields("rax rbx rcx rdx rdi rsi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip") {
		if machAMD64[i] != numbers[name] {
			t.Errorf("field %d, %s, is register %d, want %d", i, name, machAMD64[i], numbers[name])
		}
	}
}

// inSigtramp asks about a place in libplatform.
func inSigtramp(a task.Arch, code string, at task.Addr) rule.Query {
	f := newFake(a)
	f.names[codeBase] = "_sigtramp"
	f.segments[0].Name = "__TEXT"
	im := &images.Image{Placed: object.Placed{Path: "/usr/lib/system/libsystem_platform.dylib", Load: codeBase, File: f}}
	return rule.Query{Arch: a, Image: im, PC: codeBase + at, Code: bytesAt{codeBase, []byte(code)}}
}

// leads wants the registers that a signal's rule leads to.
func leads(t *testing.T, q rule.Query, th *task.Thread, r *rule.Rule, want map[task.Reg]uint64) {
	t.Helper()
	var s rule.State
	s.Reset(th)
	if err := s.Apply(r); err != nil || !r.Has(rule.Signal) {
		t.Errorf("at %v: %v, flags %v", q.PC, err, r.Flags)
	}
	for reg, x := range want {
		if got, ok := s.Regs.Value(reg); !ok || got != x {
			t.Errorf("at %v: register %d is %#x, want %#x", q.PC, reg, got, x)
		}
	}
}
