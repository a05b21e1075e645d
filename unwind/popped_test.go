package unwind

import (
	"bytes"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/analysis"
	"stacksnap/unwind/rule"
)

// tables is a source with a rule for each address.
type tables map[task.Addr]rule.Rule

func (t tables) Rule(q rule.Query) (rule.Rule, error) {
	if r, ok := t[q.PC]; ok {
		return r, nil
	}
	return rule.Rule{}, rule.ErrNone
}

// TestPoppedRegister: at a ret, the tables still say that the frame pointer is below
// sp, where nothing was copied. It is known if the instructions restore it.
func TestPoppedRegister(t *testing.T) {
	const ret, inCaller = codeBase + 0x104, codeBase + 0x220
	atRet := rule.Rule{CFA: rule.Add(task.AMD64.SP(), 8), RA: rule.At(rule.CFA, -8)}
	atRet.Save(task.AMD64.FP(), rule.At(rule.CFA, -16))
	source := tables{ret: atRet, inCaller - 1: framed(), outer - 1: rule.Bottom()}
	for name, c := range map[string]struct {
		code  []byte
		found bool
	}{
		"popped":             {[]byte{0x55, 0x31, 0xed, 0x5d, 0xc3}, true},  // push rbp; xor ebp, ebp; pop rbp; ret
		"popped elsewhere":   {[]byte{0x55, 0x31, 0xed, 0x59, 0xc3}, false}, // …; pop rcx; ret
		"of no code":         {nil, false},
		"changed after that": {[]byte{0x55, 0x5d, 0x31, 0xed, 0xc3}, false}, // push rbp; pop rbp; xor ebp, ebp; ret
	} {
		u := New(Options{Sources: []Ranked{{ByCFI, source}, {ByAnalysis, new(analysis.Source)}}})
		th := stacked(task.AMD64, ret, stackBase+16, inCaller, 0, 0, outer)
		for range 2 { // the second time from the cache
			frames, stop := u.Walk(nil, th, mapOf(newFake(task.AMD64)), bytesAt{codeBase + 0x100, append(c.code, bytes.Repeat([]byte{0xcc}, 0x100-len(c.code))...)})
			found := len(frames) == 3 && frames[2].PC == outer && frames[2].By == ByCFI && stop.Reason == Bottom
			if found != c.found {
				t.Errorf("%s: %+v, %v", name, frames, stop)
			}
		}
	}
}
