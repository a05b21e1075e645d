package task

import "testing"

// TestArchs: each architecture has a row of its own, by which files name it.
func TestArchs(t *testing.T) {
	for a := UnknownArch + 1; a < NumArchs; a++ {
		l := a.layout()
		if l.name == "" || l.registers == 0 || l.registers > MaxRegisters || int(l.pc) >= l.registers || l.sp == l.fp {
			t.Errorf("architecture %d has no row, or half of one: %+v", a, l)
		}
		if got := ArchOfELF(l.elf); got != a {
			t.Errorf("e_machine %d is %v, not %v", l.elf, got, a)
		}
		if got := ArchOfMachO(l.machO); l.machO != 0 && got != a {
			t.Errorf("cputype %#x is %v, not %v", l.machO, got, a)
		}
	}
	if got := ArchOfMachO(12 | abi6432); got != ARM64 {
		t.Errorf("arm64_32 is %v", got)
	}
}

// TestNoArch: what has no row is unknown, and has no registers.
func TestNoArch(t *testing.T) {
	for _, a := range []Arch{UnknownArch, NumArchs, 255, ArchOfELF(0), ArchOfELF(8), ArchOfMachO(0), ArchOfMachO(18)} {
		if a.String() != "unknown" || a.NumRegisters() != 0 {
			t.Errorf("%d is %v, with %d registers", a, a, a.NumRegisters())
		}
	}
}
