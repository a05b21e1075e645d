package analysis

import (
	"encoding/hex"
	"strings"
	"testing"

	"stacksnap/images/code/x86"
	"stacksnap/task"
)

const (
	entryI386  = "cfa = sp + 4; pc = *(cfa - 4)"
	pushedI386 = "cfa = sp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"
	frameI386  = "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"
)

var programsI386 = []program{
	// Where it stands it learns by a call that is none.
	{"i386, frame pointer", task.I386, []line{
		{"55", entryI386},         // push ebp
		{"89e5", pushedI386},      // mov esp, ebp
		{"53", frameI386},         // push ebx
		{"e800000000", frameI386}, // call next
		{"5b", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},                           // pop ebx
		{"83e4f0", "cfa = fp + 8; r3 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"},     // and -16, esp
		{"83ec20", "cfa = fp + 8; r3 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"},     // sub 32, esp
		{"e800000100", "cfa = fp + 8; r3 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"}, // call
		{"8d65fc", "cfa = fp + 8; r3 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"},     // lea -4(ebp), esp
		{"5b", "cfa = fp + 8; r3 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"},         // pop ebx
		{"5d", frameI386}, // pop ebp
		{"c3", entryI386}, // ret
	}},
	{"i386, arguments pushed, and fillers", task.I386, []line{
		{"56", entryI386},                                             // push esi
		{"7413", "cfa = sp + 8; pc = *(cfa - 4)"},                     // je to the call
		{"46", "cfa = sp + 8; pc = *(cfa - 4)"},                       // inc esi
		{"83ec0c", "cfa = sp + 8; r6 = *(cfa - 8); pc = *(cfa - 4)"},  // sub 12, esp
		{"6a03", "cfa = sp + 20; r6 = *(cfa - 8); pc = *(cfa - 4)"},   // push 3
		{"ffd0", "cfa = sp + 24; r6 = *(cfa - 8); pc = *(cfa - 4)"},   // call *eax
		{"83c410", "cfa = sp + 24; r6 = *(cfa - 8); pc = *(cfa - 4)"}, // add 16, esp
		{"5e", "cfa = sp + 8; r6 = *(cfa - 8); pc = *(cfa - 4)"},      // pop esi
		{"c3", entryI386},                         // ret
		{"8db600000000", ""},                      // lea 0(esi), esi
		{"ffd2", "cfa = sp + 8; pc = *(cfa - 4)"}, // call *edx
		{"5e", "cfa = sp + 8; pc = *(cfa - 4)"},   // pop esi
		{"c3", entryI386},                         // ret
		{"89f6", ""},                              // mov esi, esi
	}},
	{"i386, GCC's main", task.I386, []line{
		{"8d4c2404", entryI386},                                          // lea 4(esp), ecx
		{"7500", entryI386},                                              // jne to what is next
		{"83e4f0", entryI386},                                            // and -16, esp
		{"ff71fc", "cfa = r1; pc = *(cfa - 4)"},                          // push -4(ecx)
		{"55", "cfa = r1; pc = *(cfa - 4)"},                              // push ebp
		{"89e5", "cfa = r1; pc = *(cfa - 4)"},                            // mov esp, ebp
		{"51", "cfa = r1; fp = *(sp); pc = *(cfa - 4)"},                  // push ecx
		{"83ec14", "cfa = r1; fp = *(sp + 4); pc = *(cfa - 4)"},          // sub 20, esp
		{"e800000100", "cfa = r1; fp = *(sp + 24); pc = *(cfa - 4)"},     // call
		{"8b4dfc", "cfa = *(sp + 20); fp = *(sp + 24); pc = *(cfa - 4)"}, // mov -4(ebp), ecx
		{"c9", "cfa = r1; fp = *(sp + 24); pc = *(cfa - 4)"},             // leave
		{"8d61fc", "cfa = r1; pc = *(cfa - 4)"},                          // lea -4(ecx), esp
		{"c3", entryI386},                                                // ret
	}},
	{"i386, a large frame", task.I386, []line{
		{"b804000100", entryI386},                             // mov 65540, eax
		{"e800000100", "cfa = sp + 4; pc = *(cfa - 4)"},       // call ___chkstk_darwin
		{"29c4", "cfa = sp + 4; pc = *(cfa - 4)"},             // sub eax, esp
		{"ffd2", "cfa = sp + 65544; pc = *(cfa - 4)"},         // call *edx
		{"81c404000100", "cfa = sp + 65544; pc = *(cfa - 4)"}, // add 65540, esp
		{"c20800", entryI386},                                 // ret 8
	}},
}

func TestCalleePops(t *testing.T) {
	code, starts := assemble(t, task.I386, []line{
		{code: "83ec04"},     // sub 4, esp
		{code: "6a01"},       // push 1
		{code: "6a02"},       // push 2
		{code: "e804000000"}, // call below
		{code: "83c404"},     // add 4, esp
		{code: "c3"},         // ret
		{code: "56"},         // below: push esi
		{code: "5e"},         // pop esi
		{code: "c20800"},     // ret 8
	})
	f := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1000 + uint64(starts[6])}}
	f.want(t, task.I386, starts, map[int]string{
		3: "cfa = sp + 16; pc = *(cfa - 4)", 4: "cfa = sp + 8; pc = *(cfa - 4)", 5: entryI386,
	})
}

// TestReservedAgain: what a callee popped is told by its ret on i386, of a call that says
// which it is. Of any other call it is what the caller reserves again.
func TestReservedAgain(t *testing.T) {
	for _, c := range []struct {
		name  string
		arch  task.Arch
		lines []line
		below int // where the callee begins
		want  string
	}{
		{"by a pointer, i386", task.I386, []line{
			{code: "6a01"},   // push 1
			{code: "6a02"},   // push 2
			{code: "ffd0"},   // call *eax
			{code: "83ec08"}, // sub 8, esp
			{code: "83c408"}, // add 8, esp
			{code: "c3"},     // ret
		}, 0, entryI386},
		{"directly, amd64", task.AMD64, []line{
			{code: "4883ec10"},   // sub 16, rsp
			{code: "e809000000"}, // call below
			{code: "4883ec10"},   // sub 16, rsp
			{code: "4883c410"},   // add 16, rsp
			{code: "c3"},         // ret
			{code: "90"},         // below: nop
			{code: "c3"},         // ret
		}, 5, "cfa = sp + 8; pc = *(cfa - 8)"},
	} {
		code, starts := assemble(t, c.arch, c.lines)
		f := &text{at: 0x1000, code: code, starts: []uint64{0x1000}}
		behind := 3
		if c.below > 0 {
			f.starts = append(f.starts, 0x1000+uint64(starts[c.below]))
			behind = 2
		}
		t.Run(c.name, func(t *testing.T) { f.want(t, c.arch, starts, map[int]string{behind: c.want}) })
	}
}

func TestI386Filler(t *testing.T) {
	for code, want := range map[string]bool{
		"89f6": true, "8d36": true, "8d7600": true, "8db600000000": true, "8d742600": true, "8dbc2700000000": true,
		"89fe": false, "8937": false, "668d36": false, "8d7601": false, "8d743600": false, "8b36": false, "8d37": false,
	} {
		b, _ := hex.DecodeString(code)
		var i x86.Inst
		if ok := i.Decode32(b, 0); !ok || i386Filler(&i) != want {
			t.Errorf("%s: want %t", code, want)
		}
	}
}

func TestPopsByRet(t *testing.T) {
	spent := walk{mem: codeAt{0x1000, []byte{0xc3}}, calleeSteps: maxCalleeSteps}
	if _, ok := spent.popsByRet(0x1000); ok || spent.calleeSteps != maxCalleeSteps+1 {
		t.Error("the work on callees has no bound")
	}
	for _, c := range []struct {
		name, code string
		n          int32
		ok         bool
	}{
		{"a ret", "c3", 0, true},
		{"with a number", "5589e55dc20c00", 12, true},
		{"the largest", "c2ffff", 0xffff, true},
		{"a jump on", "eb01c3c20400", 4, true},
		{"a loop first", "ebfec20400", 4, true},
		{"a stub", "ff2500000000c20400", 0, false},
		{"a stub of three", "f30f1efb8b8310000000ffe0c20400", 0, false},
		{"a switch", "5589e583ec10ffe0c20400", 4, true},
		{"a trap", "0f0bc20400", 0, false},
		{"a far return", "cb", 0, false},
		{"cut", "55", 0, false},
		{"behind much", strings.Repeat("90", 300) + "c20400", 4, true},
		{"behind too much", strings.Repeat("90", maxPopSteps) + "c20400", 0, false},
	} {
		b, _ := hex.DecodeString(c.code)
		w := walk{mem: codeAt{0x1000, b}}
		if n, ok := w.popsByRet(0x1000); ok != c.ok || ok && n != c.n {
			t.Errorf("%s: %d, %t", c.name, n, ok)
		}
	}
}
