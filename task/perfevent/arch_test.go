package perfevent

import (
	"math/bits"
	"testing"

	"stacksnap/task"
)

// TestArchs: of each architecture that task knows some kernel gives the registers, each in
// one place, and as many values as it is asked for.
func TestArchs(t *testing.T) {
	given := map[task.Arch]*file{}
	for a := range task.NumArchs {
		for _, f := range []*file{hosts[a].by64, hosts[a].by32} {
			if f == nil {
				continue
			}
			given[f.arch] = f
			if asked := bits.OnesCount64(mask(a)); asked != len(f.slots) {
				t.Errorf("a kernel of %v is asked for %d values, and gives %d of %v", a, asked, len(f.slots), f.arch)
			}
		}
	}
	for a := task.UnknownArch + 1; a < task.NumArchs; a++ {
		if given[a] == nil {
			t.Errorf("no kernel gives the registers of %v", a)
			continue
		}
		places := map[task.Reg]int{}
		for _, reg := range given[a].slots {
			places[reg]++
		}
		for reg := range task.Reg(a.NumRegisters()) {
			if places[reg] != 1 {
				t.Errorf("register %d of %v is in %d places", reg, a, places[reg])
			}
		}
	}
}
