package unwind

import (
	"slices"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// known is a source that has the same to say of all code but of outermost functions.
type known struct {
	rule   rule.Rule
	sp, fp int32 // from the CFA
	ok     bool
}

func (k *known) Rule(q rule.Query) (rule.Rule, error) {
	if q.PC >= outer-1 {
		return rule.Bottom(), nil
	}
	return k.rule, nil
}

func (k *known) Distances(rule.Query) (sp, fp int32, ok bool) { return k.sp, k.fp, k.ok }

// framed is a function's rule that takes the frame pointer, as of one made by
// push %rbp; mov %rsp, %rbp.
func framed() rule.Rule {
	fp := task.AMD64.FP()
	r := rule.Rule{CFA: rule.Add(fp, 16), RA: rule.At(rule.CFA, -8)}
	r.Save(fp, rule.At(rule.CFA, -16))
	return r
}

// TestFramePointerFromTheStackPointer: where a thread's frame pointer is not known,
// it is found if the code says for sure how far from sp it is.
func TestFramePointerFromTheStackPointer(t *testing.T) {
	call := bytesAt{outer - 5, []byte{0xe8, 0, 0, 0, 0}}
	for name, c := range map[string]struct {
		source known
		code   task.Memory
		found  bool
	}{
		"both are known":            {known{sp: -32, fp: -16, ok: true}, call, true},
		"they are not":              {known{sp: -32, fp: -16}, call, false},
		"elsewhere than in tables":  {known{sp: -40, fp: -24, ok: true}, call, false},
		"to where no call returns":  {known{sp: -32, fp: -16, ok: true}, bytesAt{outer - 5, make([]byte, 5)}, false},
		"to no return address":      {known{sp: -24, fp: -16, ok: true}, call, false},
		"of code that is not there": {known{sp: -32, fp: -16, ok: true}, nowhere{}, false},
	} {
		c.source.rule = framed()
		th := stacked(task.AMD64, 0x10120, 0, 1, 2, sb+64, outer)
		th.Registers.Forget(task.AMD64.FP())
		u := New(Options{Sources: []Ranked{{ByCFI, &c.source}}})
		for range 2 { // the second time from the cache
			frames, stop := u.Walk(nil, th, mapOf(newFake(task.AMD64)), c.code)
			switch {
			case c.found && (!slices.Equal(pcs(frames), []uint64{0x10120, outer}) || stop.Reason != Bottom || frames[1].By != ByCFI || frames[1].Err != nil):
				t.Errorf("%s: %+v, %v", name, frames, stop)
			case !c.found && len(frames) > 1 && (!frames[1].By.Guess() || frames[1].Err != rule.ErrUnknownRegister): // found by scanning
				t.Errorf("%s: %+v, %v", name, frames, stop)
			}
		}
	}
}
