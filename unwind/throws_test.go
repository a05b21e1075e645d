package unwind

import (
	"slices"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
)

// throwing is a file of ARM with an index: r4 and lr are on the stack in the function at
// 0x10200, of that at 0x10300 nothing is said.
func throwing() *fakeFile {
	f := newFake(task.ARM)
	var index []uint64
	for i, e := range [][2]uint64{{0x10200, 0x80a8b0b0}, {0x10300, 1}} {
		at := uint64(codeEnd + 8*i)
		index = append(index, (e[0]-at)&(1<<31-1), e[1])
	}
	f.sections = map[object.Kind]object.Section{
		object.ExIdx: {VMAddr: codeEnd, Data: rangeOf(task.ARM, 0, index...).Bytes},
	}
	return f
}

// TestThrowing walks by ARM's tables where a function stands in a call; before them its
// instructions, which cannot be read here, are asked where it was interrupted.
func TestThrowing(t *testing.T) {
	for _, c := range []struct {
		pc, fp, lr uint64
		stack      []uint64
		want       []uint64
		by         []Method
		marked     []bool // for want of instructions or anything else
	}{
		{0x10100, sb + 8, 0x10211, []uint64{4, 0x10311, 0, outer}, []uint64{0x10100, 0x10210, 0x10310, outer},
			[]Method{ByRegisters, ByAnalysis, ByExIdx, ByFramePointer}, []bool{false, true, false, true}},
		{0x10200, 0, 0x10211, []uint64{4, outer}, []uint64{0x10200, 0x10210, outer},
			[]Method{ByRegisters, ByAnalysis, ByExIdx}, []bool{false, true, false}},
		{0x10204, 0, 0x10121, []uint64{4, outer}, []uint64{0x10204, outer}, []Method{ByRegisters, ByExIdx}, []bool{false, true}},
	} {
		th := stacked(task.ARM, c.pc, c.fp, c.stack...)
		lr, _ := task.ARM.LR()
		th.Registers.Set(lr, c.lr)
		frames, stop := New(Options{}).Walk(nil, th, mapOf(throwing()), nil)
		if !slices.Equal(pcs(frames), c.want) || stop.Reason != Bottom {
			t.Errorf("%#x: %#x, %+v", c.pc, pcs(frames), stop)
			continue
		}
		for i, f := range frames {
			if f.By != c.by[i] || (f.Err != nil) != c.marked[i] {
				t.Errorf("%#x: frame %d by %v: %v", c.pc, i, f.By, f.Err)
			}
		}
	}
}
