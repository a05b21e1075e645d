package analysis

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"stacksnap/task"
)

// Hand-written code may use fp for what it likes and not give it back: next-swc
// 16.4.5, arm64, 0x3c4ac6c.
var withoutFP = []program{
	{"fp overwritten", task.ARM64, []line{
		{"a9bf53f3", entryARM64},                                        // stp x19, x20, [sp, #-16]!
		{"a9bf7bf7", "cfa = sp + 16; pc = lr"},                          // stp x23, x30, [sp, #-16]!
		{"94000100", "cfa = sp + 32; pc = *(cfa - 24)"},                 // bl
		{"da9f23fd", "cfa = sp + 32; pc = *(cfa - 24)"},                 // csetm x29, lo
		{"54000040", "cfa = sp + 32; fp = lost; pc = *(cfa - 24)"},      // b.eq over
		{"94000100", "cfa = sp + 32; fp = lost; pc = *(cfa - 24)"},      // bl
		{"aa1d03f4", "cfa = sp + 32; fp = lost; pc = *(cfa - 24)"},      // mov x20, x29
		{"a8c17bf7", "cfa = sp + 32; x20; fp = lost; pc = *(cfa - 24)"}, // ldp x23, x30, [sp], #16
		{"a8c153f3", "cfa = sp + 16; x20; fp = lost; pc = lr"},          // ldp x19, x20, [sp], #16
		{"d65f03c0", "cfa = sp; fp = lost; pc = lr"},                    // ret
	}},
	{"rbp overwritten", task.AMD64, []line{
		{"53", entryAMD64},                                    // push rbx
		{"7506", "cfa = sp + 16; pc = *(cfa - 8)"},            // jne over
		{"31ed", "cfa = sp + 16; pc = *(cfa - 8)"},            // xor ebp, ebp
		{"ffd0", "cfa = sp + 16; fp = lost; pc = *(cfa - 8)"}, // call *rax
		{"5b", "cfa = sp + 16; fp = lost; pc = *(cfa - 8)"},   // pop rbx
		{"c3", "cfa = sp + 8; fp = lost; pc = *(cfa - 8)"},    // ret
		{"488b28", "cfa = sp + 16; pc = *(cfa - 8)"},          // mov (rax), rbp
		{"5b", "cfa = sp + 16; fp = lost; pc = *(cfa - 8)"},   // pop rbx
		{"c3", "cfa = sp + 8; fp = lost; pc = *(cfa - 8)"},    // ret
	}},
}

func TestWithoutFP(t *testing.T) {
	for _, p := range withoutFP {
		code, starts := assemble(t, p.arch, p.lines)
		f := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1000 + uint64(len(code))}}
		rules := map[int]string{}
		for i, l := range p.lines {
			rules[i] = strings.ReplaceAll(l.rule, "x20;", "r20 = *(cfa - 8);")
		}
		f.want(t, p.arch, starts, rules)
		for _, first := range []bool{true, false} {
			compareKnown(t, f, p.arch, starts, first)
		}
	}
}

// Whoever has kept fp, or has it at one return and not at another, or does not return
// to its caller, was not entered where it seems to start.
func TestNotWithoutFP(t *testing.T) {
	for name, code := range map[string][]string{
		"with fp at one return":  {"7501", "c3", "31ed", "c3"},       // jne over; ret; xor ebp, ebp; ret
		"saved":                  {"55", "31ed", "59", "31c9", "c3"}, // push rbp; xor ebp, ebp; pop rcx; xor ecx, ecx; ret
		"in another register":    {"4889e8", "31ed", "c3"},           // mov rbp, rax; xor ebp, ebp; ret
		"sp elsewhere":           {"5d", "c3"},                       // pop rbp; ret
		"reached by supposition": {"ffd0", "31ed", "c3", "ffe0"},     // call *rax; xor ebp, ebp; ret; jmp *rax
		"control runs out of it": {"31ed", "7501", "c3", "31c0"},     // xor ebp, ebp; jne over; ret; xor eax, eax
	} {
		var lines []line
		for _, c := range code {
			lines = append(lines, line{code: c})
		}
		bytes, starts := assemble(t, task.AMD64, lines)
		f := &text{at: 0x1000, code: bytes, starts: []uint64{0x1000, 0x1000 + uint64(len(bytes))}}
		var s Source
		q := f.query(task.AMD64, 0x1000+task.Addr(slices.Max(starts)))
		if r, err := s.Rule(q); !errors.Is(err, ErrUncertain) {
			t.Errorf("%s: %s, %v", name, r.Format(q.Arch), err)
		}
	}
}

// A question that supposes it leaves nothing of that to the next.
func TestWithoutFPIsForgotten(t *testing.T) {
	w := walk{code: []byte{0x31, 0xed, 0xc3}, mode: mode{withoutFP: true}} // xor ebp, ebp; ret
	if r, err := w.rule(&amd64, 0, false); err != ErrUnbalanced {
		t.Errorf("%v, %v", r, err)
	}
	w.code, w.mode = []byte{0x48, 0x89, 0xe5, 0x90, 0x31, 0xed, 0xc3}, mode{withoutFP: true} // mov rsp, rbp; nop; …
	if w.solveFor(&amd64, 3) != nil {
		t.Error("the distance of sp in what does not return as it was entered")
	}
}
