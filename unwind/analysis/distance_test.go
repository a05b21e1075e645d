package analysis

import (
	"encoding/hex"
	"strings"
	"testing"

	"stacksnap/task"
)

// TestDistances at the last instruction of functions, a call.
func TestDistances(t *testing.T) {
	for _, c := range []struct {
		name   string
		code   string
		sp, fp int32
		ok     bool
	}{
		{"a frame", "55 4889e5 53 4883ec18 e800000100", -48, -16, true},                               // push rbp; mov rsp, rbp; push rbx; sub 24, rsp
		{"no frame pointer", "53 4883ec18 e800000100", 0, 0, false},                                   // push rbx; sub 24, rsp
		{"a frame of any size", "55 4889e5 4829c4 e800000100", 0, 0, false},                           // push rbp; mov rsp, rbp; sub rax, rsp
		{"two ways that agree", "55 4889e5 85c0 7404 4883ec08 4883ec08", 0, 0, false},                 // one of them has pushed more
		{"behind a call that may not return", "55 4889e5 e800000100 ebf3 90 e800000100", 0, 0, false}, // and a jump away
	} {
		code, err := hex.DecodeString(strings.ReplaceAll(c.code, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		last := task.Addr(0x1000 + len(code) - 1)
		f := &text{at: 0x1000, code: append(code, make([]byte, 64)...), starts: []uint64{0x1000, 0x1000 + uint64(len(code))}}
		q := f.query(task.AMD64, last)
		q.First = false
		var s Source
		sp, fp, ok := s.Distances(q)
		if ok != c.ok || ok && (sp != c.sp || fp != c.fp) {
			t.Errorf("%s: sp %d, fp %d, %v", c.name, sp, fp, ok)
		}
	}
}
