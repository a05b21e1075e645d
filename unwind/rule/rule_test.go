package rule

import (
	"encoding/binary"
	"errors"
	"testing"

	"stacksnap/task"
)

// thread returns a stopped thread whose stack at base holds words.
func thread(a task.Arch, base task.Addr, words ...uint64) *task.Thread {
	var b []byte
	for _, w := range words {
		if a.PointerSize() == 4 {
			b = binary.LittleEndian.AppendUint32(b, uint32(w))
		} else {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
	}
	t := &task.Thread{Stacks: []task.Stack{{Base: base, Bytes: b}}}
	t.Registers.Arch = a
	t.Registers.Set(a.SP(), uint64(base))
	return t
}

func TestApplyAMD64(t *testing.T) {
	th := thread(task.AMD64, 0x1000, 1, 2, 3, 0xcafe)
	th.Registers.Set(3, 0x33)
	r := Rule{CFA: Add(7, 32), RA: At(CFA, -8)}
	r.Save(6, At(CFA, -16))
	r.Save(3, Add(CFA, -8))
	r.Save(12, Add(3, 1)) // of the frame's rbx, not of the caller's
	r.Save(13, Value{})
	r.Save(14, At(CFA, 0))
	th.Registers.Set(13, 5)
	th.Registers.Set(14, 5)

	var s State
	s.Reset(th)
	if err := s.Apply(&r); err != nil {
		t.Fatal(err)
	}
	for reg, want := range map[task.Reg]uint64{7: 0x1020, 16: 0xcafe, 6: 3, 3: 0x1018, 12: 0x34} {
		if got, ok := s.Regs.Value(reg); !ok || got != want {
			t.Errorf("r%d = %#x, %v, want %#x", reg, got, ok, want)
		}
	}
	for _, reg := range []task.Reg{13, 14} {
		if got, ok := s.Regs.Value(reg); ok {
			t.Errorf("r%d = %#x, want it lost", reg, got)
		}
	}
	want := "cfa = sp + 32; fp = *(cfa - 16); r3 = cfa - 8; r12 = r3 + 1; r13 = lost; r14 = *(cfa); pc = *(cfa - 8)"
	if got := r.Format(task.AMD64); got != want {
		t.Errorf("Format: %s, want %s", got, want)
	}
}

func TestLinkRegisterIsUsedOnce(t *testing.T) {
	th := thread(task.ARM64, 0x1000, 0, 0)
	th.Registers.Set(30, 0xabc)
	r := Frameless(task.ARM64, 16)
	var s State
	s.Reset(th)
	if err := s.Apply(&r); err != nil {
		t.Fatal(err)
	}
	if s.Regs.PC() != 0xabc || s.Regs.SP() != 0x1010 {
		t.Fatalf("pc %v, sp %v", s.Regs.PC(), s.Regs.SP())
	}
	if err := s.Apply(&r); !errors.Is(err, ErrUnknownRegister) {
		t.Errorf("lr used twice: %v", err)
	}
}

func TestFailureChangesNothing(t *testing.T) {
	th := thread(task.I386, 0x1000, 1, 2)
	th.Registers.Set(5, 0x1000)
	for _, r := range []Rule{
		{}, Bottom(), {CFA: Add(4, 4096), RA: At(CFA, -4)}, {CFA: Add(0, 0), RA: At(CFA, 0)},
		{CFA: Add(4, 0)}, (&Long{CFA: Add(4, 4096), RA: At(CFA, -4)}).Rule(),
	} {
		var s State
		s.Reset(th)
		if err := s.Apply(&r); err == nil || s.Regs != th.Registers {
			t.Errorf("%v: error %v, registers %v", r, err, s.Regs)
		}
	}
}

func TestStackAcrossRanges(t *testing.T) {
	th := thread(task.AMD64, 0x1000, 1, 2)
	th.Stacks = append(th.Stacks, task.Stack{Base: 0x9000, Bytes: []byte{1, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9}})
	var s Stack
	s.Reset(th)
	if x, ok := s.Pointer(0x9000); !ok || x != 1 {
		t.Errorf("second range: %d, %v", x, ok)
	}
	if x, ok := s.Pointer(0x1008); !ok || x != 2 {
		t.Errorf("first range: %d, %v", x, ok)
	}
	for at, missed := range map[task.Addr]task.Addr{0x9008: 0x900b, 0x1009: 0x1010, 0xfff: 0xfff, ^task.Addr(0) - 3: ^task.Addr(0) - 3} {
		if _, ok := s.Pointer(at); ok || s.Missed != missed {
			t.Errorf("%v: %v, missed %v, want %v", at, ok, s.Missed, missed)
		}
	}
}

func TestCommonRules(t *testing.T) {
	for got, want := range map[string]string{
		FramePointer(task.AMD64).Format(task.AMD64):  "cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)",
		FramePointer(task.ARM).Format(task.ARM):      "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)",
		Frameless(task.ARM64, 32).Format(task.ARM64): "cfa = sp + 32; pc = lr",
		Frameless(task.AMD64, 0).Format(task.AMD64):  "cfa = sp + 8; pc = *(cfa - 8)",
		Bottom().String():                            "outermost",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	th := thread(task.ARM64, 0x1000, make([]uint64, 64)...)
	r := Rule{CFA: Add(31, 0), RA: At(CFA, 8)}
	for i := range task.Reg(10) {
		r.Save(19+i, At(CFA, int32(16+8*i)))
	}
	r.Save(29, At(CFA, 0))
	var s State
	s.Reset(th)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Apply(&r); err != nil {
			b.Fatal(err)
		}
	}
}
