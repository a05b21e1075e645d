package cfi

import (
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// hint is one answer to all.
type hint int

func (h hint) FDE(*rule.Query) (int, bool) { return int(h), h != -1 }

// TestHints: an FDE that is told of is taken if it covers the address, and only then
// need the others not be looked through.
func TestHints(t *testing.T) {
	built := builder{eh: true}
	cie := built.cie("", nil, standard...)
	built.fde(cie, 0x1000, 0x100)
	second := built.fde(cie, 0x1100, 0x100, opDefCFAOffset, 16)
	const want = "cfa = sp + 16; pc = *(cfa - 8)"
	for _, h := range []hint{hint(second), 0, hint(second - 8), hint(second + 3), hint(len(built.b)), -8, 1 << 30, -1} {
		f := &file{arch: task.AMD64, sections: map[object.Kind]object.Section{object.EHFrame: {VMAddr: 0x5000, Data: built.b}}}
		for _, vmaddr := range []uint64{0x1100, 0x11ff} {
			q := query(f, vmaddr)
			table := newTable(f, object.EHFrame, f.sections[object.EHFrame])
			r, err := table.rule(&q, vmaddr, h)
			if got := r.Format(task.AMD64); got != want || err != nil {
				t.Errorf("hint %d: %s, %v", h, got, err)
			}
			if searched := table.index != nil; searched != (h != hint(second)) {
				t.Errorf("hint %d: all looked through: %v", h, searched)
			}
			if r, err := (&Source{Hints: h}).Rule(q); r.Format(task.AMD64) != want || err != nil {
				t.Errorf("hint %d: %v, %v", h, r, err)
			}
		}
	}
}

// TestHintsOfOthers: a table for debuggers has other offsets.
func TestHintsOfOthers(t *testing.T) {
	var built builder
	off := built.fde(built.cie("", nil, standard...), 0x1000, 0x100)
	f := &file{arch: task.AMD64, sections: map[object.Kind]object.Section{object.DebugFrame: {Data: built.b}}}
	table := newTable(f, object.DebugFrame, f.sections[object.DebugFrame])
	q := query(f, 0x1000)
	if _, err := table.rule(&q, 0x1000, hint(off)); err != nil || table.index == nil {
		t.Errorf("%v, index %v", err, table.index)
	}
}
