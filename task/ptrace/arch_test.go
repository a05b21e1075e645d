package ptrace

import (
	"testing"

	"stacksnap/task"
)

// TestArchs: of each architecture that task knows it is known where the kernel has the
// registers, each in one place, and which calls a stop would end.
func TestArchs(t *testing.T) {
	for a := task.UnknownArch + 1; a < task.NumArchs; a++ {
		l := layouts[a]
		if l == nil {
			t.Errorf("%v has no layout of registers", a)
			continue
		}
		if l.arch != a || l.size != a.PointerSize() || l.size*len(l.dwarf) > maxRegset {
			t.Errorf("the layout of %v is of %v, %d words of %d bytes", a, l.arch, len(l.dwarf), l.size)
		}
		places := map[task.Reg]int{}
		for _, reg := range l.dwarf {
			places[reg]++
		}
		for reg := range task.Reg(a.NumRegisters()) {
			if places[reg] != 1 {
				t.Errorf("register %d of %v is in %d places", reg, a, places[reg])
			}
		}
		if n := countEndingCalls(a); n == 0 {
			t.Errorf("no call of %v is known that a stop would end", a)
		}
	}
	if n := countEndingCalls(task.UnknownArch); n != 0 {
		t.Errorf("%d calls of an unknown architecture have numbers", n)
	}
}

func countEndingCalls(a task.Arch) (n int) {
	for i := range endingCalls {
		if _, has := endingCalls[i].number(a); has {
			n++
		}
	}
	return n
}
