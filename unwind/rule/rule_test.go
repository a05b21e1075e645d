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

// A function that aligns sp keeps what it was in a word of its frame.
func TestLoadedCFA(t *testing.T) {
	th := thread(task.AMD64, 0x1000, 0, 0x1018, 7, 0xcafe)
	r := Rule{CFA: At(7, 8), Loaded: Loaded{Over: 8}, RA: At(CFA, -8)}
	r.Save(6, At(CFA, -16))
	var s State
	s.Reset(th)
	if err := s.Apply(&r); err != nil {
		t.Fatal(err)
	}
	for reg, want := range map[task.Reg]uint64{7: 0x1020, 16: 0xcafe, 6: 7} {
		if got, ok := s.Regs.Value(reg); !ok || got != want {
			t.Errorf("r%d = %#x, %v, want %#x", reg, got, ok, want)
		}
	}
	if got, want := r.Format(task.AMD64), "cfa = *(sp + 8) + 8; fp = *(cfa - 16); pc = *(cfa - 8)"; got != want {
		t.Errorf("Format: %s, want %s", got, want)
	}
	r.CFA = At(7, 64)
	if err := s.Apply(&r); !errors.Is(err, ErrNotCaptured) {
		t.Errorf("a word that was not captured: %v", err)
	}
}

// The word may be behind an array of the frame.
func TestIndexedCFA(t *testing.T) {
	th := thread(task.AMD64, 0x1000, 0, 0, 0x1018, 0, 0xcafe)
	th.Registers.Set(9, 1<<61+1) // 8 times which is 8
	r := Rule{CFA: At(7, 8), Loaded: Loaded{Over: 16, Index: 9, Scale: 8}, RA: At(CFA, -8)}
	if got, want := r.Format(task.AMD64), "cfa = *(sp + 8·r9 + 8) + 16; pc = *(cfa - 8)"; got != want {
		t.Errorf("Format: %s, want %s", got, want)
	}
	var s State
	s.Reset(th)
	if pc, cfa, err := s.Caller(&r); pc != 0xcafe || cfa != 0x1028 || err != nil {
		t.Errorf("%#x, %#x, %v", pc, cfa, err)
	}
	s.Regs.Set(9, 2)
	r.Loaded.Scale = 4
	if pc, cfa, err := s.Caller(&r); pc != 0xcafe || cfa != 0x1028 || err != nil {
		t.Errorf("by 4: %#x, %#x, %v", pc, cfa, err)
	}
	s.Regs.Forget(9)
	if _, _, err := s.Caller(&r); err != ErrUnknownRegister {
		t.Errorf("without the index: %v", err)
	}
	s.Regs.Forget(7)
	if _, _, err := s.Caller(&r); err != ErrUnknownRegister {
		t.Errorf("without the base: %v", err)
	}
}

// A function may keep how far it has moved sp, in a word or in a register, rather than
// where sp was.
func TestCFAByDistance(t *testing.T) {
	th := thread(task.AMD64, 0x1000, 0, 0x18, 0, 0xcafe)
	th.Registers.Set(9, 0x10)
	th.Registers.Set(11, 0x18)
	for _, c := range []struct {
		rule Rule
		want string
	}{
		{Rule{CFA: At(7, 8), Loaded: Loaded{Over: 8, Distance: true}}, "cfa = sp + *(sp + 8) + 8"},
		{Rule{CFA: At(7, -8), Loaded: Loaded{Over: 8, Index: 9, Scale: 1, Distance: true}}, "cfa = sp + *(sp + 1·r9 - 8) + 8"},
		{Rule{CFA: Value{How: Indexed, Base: 7, Off: 8}, Loaded: Loaded{Index: 11, Scale: 1}}, "cfa = sp + 1·r11 + 8"},
		{Rule{CFA: Value{How: Indexed, Base: 7, Off: 0}, Loaded: Loaded{Index: 9, Scale: 2}}, "cfa = sp + 2·r9"},
	} {
		c.rule.RA = At(CFA, -8)
		if got, want := c.rule.Format(task.AMD64), c.want+"; pc = *(cfa - 8)"; got != want {
			t.Errorf("Format: %s, want %s", got, want)
		}
		var s State
		s.Reset(th)
		if pc, cfa, err := s.Caller(&c.rule); pc != 0xcafe || cfa != 0x1020 || err != nil {
			t.Errorf("%s: %#x, %#x, %v", c.want, pc, cfa, err)
		}
		s.Regs.Forget(7)
		if _, _, err := s.Caller(&c.rule); err != ErrUnknownRegister {
			t.Errorf("%s without the base: %v", c.want, err)
		}
	}
	var s State
	s.Reset(th)
	s.Regs.Forget(11)
	r := Rule{CFA: Value{How: Indexed, Base: 7}, Loaded: Loaded{Index: 11, Scale: 1}, RA: At(CFA, -8)}
	if _, _, err := s.Caller(&r); err != ErrUnknownRegister || !r.Valid() {
		t.Errorf("without the register: %v", err)
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
		{CFA: Add(4, 0)}, (&RegisterList{CFA: Add(4, 4096), RA: At(CFA, -4)}).Rule(),
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

// Registers may be saved in several captured ranges, by turns.
func TestSavedAcrossRanges(t *testing.T) {
	th := thread(task.AMD64, 0x1000, 3, 0xcafe)
	th.Stacks = append(th.Stacks, task.Stack{Base: 0x1020, Bytes: []byte{12, 0, 0, 0, 0, 0, 0, 0}})
	r := Rule{CFA: Add(7, 16), RA: At(CFA, -8)}
	r.Save(3, At(CFA, -16))
	r.Save(12, At(CFA, 16))
	r.Save(13, At(CFA, 64))
	r.Save(14, At(CFA, -16))
	r.Save(15, At(CFA, 16))
	th.Registers.Set(13, 1)
	var s State
	s.Reset(th)
	if err := s.Apply(&r); err != nil {
		t.Fatal(err)
	}
	for reg, want := range map[task.Reg]uint64{3: 3, 12: 12, 14: 3, 15: 12, 7: 0x1010, 16: 0xcafe} {
		if got, ok := s.Regs.Value(reg); !ok || got != want {
			t.Errorf("r%d = %d, %v, want %d", reg, got, ok, want)
		}
	}
	if _, ok := s.Regs.Value(13); ok {
		t.Error("what was not captured is known")
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
