package analysis

import (
	"errors"
	"strings"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// codeAt is memory with code at one address.
type codeAt struct {
	at task.Addr
	b  []byte
}

func (c codeAt) ReadMemory(p []byte, a task.Addr) (int, error) {
	if a < c.at || a >= c.at+task.Addr(len(c.b)) {
		return 0, &task.FaultError{Addr: a}
	}
	n := copy(p, c.b[a-c.at:])
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n)}
	}
	return n, nil
}

// Code of functions that nobody knows, from the address behind a call.
var aheads = []struct {
	name string
	arch task.Arch
	code string
	want string // empty: no answer
}{
	{"a return", task.AMD64, "\xc3", "cfa = sp + 8; pc = *(cfa - 8)"},
	{
		"a frame and registers", task.AMD64, "\x48\x83\xc4\x10\x5b\x5d\x41\x5c\xc3", // add $16, %rsp; pop %rbx, %rbp, %r12; ret
		"cfa = sp + 48; r3 = *(cfa - 32); fp = *(cfa - 24); r12 = *(cfa - 16); pc = *(cfa - 8)",
	},
	{
		"a loop and a branch", task.AMD64,
		"\x48\x85\xc0\x74\x05\xff\xd0\xff\xc9\x90\x5d\xeb\xfe\xc3", // test; je 1f; call *%rax; dec %ecx; nop; 1: pop %rbp; jmp .; ret
		"",
	},
	{
		"two ways that agree", task.AMD64,
		"\x85\xc0\x74\x02\x5b\xc3\x5b\xc3", // test; je 1f; pop %rbx; ret; 1: pop %rbx; ret
		"cfa = sp + 16; r3 = *(cfa - 16); pc = *(cfa - 8)",
	},
	{
		"two ways that differ", task.AMD64,
		"\x85\xc0\x74\x02\x5b\xc3\x5b\x5d\xc3", // test; je 1f; pop %rbx; ret; 1: pop %rbx; pop %rbp; ret
		"",
	},
	{
		"leave", task.AMD64, "\x31\xc0\xc9\xc3",
		"cfa = fp + 16; fp = *(cfa - 16); r3 = lost; r12 = lost; r13 = lost; r14 = lost; r15 = lost; pc = *(cfa - 8)",
	},
	{"a callee that does not come back", task.AMD64, "\xff\xd0\x90\x5d\xc3", ""},
	{"a jump through a table", task.AMD64, "\xff\xe0\x5d\xc3", ""},
	{"a trap", task.AMD64, "\x0f\x0b\x5d\xc3", ""},
	{"more taken down than there is", task.AMD64, "\x48\x83\xec\x20\xc3", ""}, // sub $32, %rsp; ret
	{
		"ARM64", task.ARM64, "\xf3\x0b\x40\xf9\xfd\x7b\xc2\xa8\xc0\x03\x5f\xd6", // ldr x19, [sp, 16]; ldp x29, x30, [sp], #32; ret
		"cfa = sp + 32; r19 = *(cfa - 16); fp = *(cfa - 32); pc = *(cfa - 24)",
	},
	{"ARM64, nothing loaded", task.ARM64, "\xc0\x03\x5f\xd6", ""},
}

func TestAhead(t *testing.T) {
	const at = 0x5000
	for _, tt := range aheads {
		q := rule.Query{Arch: tt.arch, PC: at - 1, Code: codeAt{at, []byte(tt.code)}}
		r, err := new(Source).Rule(q)
		switch {
		case tt.want == "":
			if !errors.Is(err, ErrUncertain) {
				t.Errorf("%s: %s, %v, want no answer", tt.name, r.Format(tt.arch), err)
			}
		case err != nil || r.Format(tt.arch) != tt.want || !r.Has(rule.Unproven):
			t.Errorf("%s: %s, %v\nwant %s", tt.name, r.Format(tt.arch), err, tt.want)
		}
	}
}

// Loops go back to before the pc, as far as there is code, and leave from there.
func TestAheadGoesBack(t *testing.T) {
	for _, tt := range []struct {
		name string
		arch task.Arch
		code string
		pc   task.Addr // from the code's start, in a call
		want string    // empty: no answer
	}{
		{
			"a loop with its condition first", task.AMD64,
			"\x85\xc0\x74\x04\xff\xd0\xeb\xf8\x5d\xc3", // 1: test; je 2f; call *%rax; jmp 1b; 2: pop %rbp; ret
			6, "cfa = sp + 16; fp = *(cfa - 16); pc = *(cfa - 8)",
		},
		{"only jumps back", task.AMD64, "\x5d\xc3\xff\xd0\xeb\xfa", 4, "cfa = sp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},
		{"to before what can be read", task.AMD64, "\xff\xd0\xeb\xfa", 2, ""},
		{"as far as is looked", task.AMD64, "\x5d\xc3" + strings.Repeat("\x90", maxBehind-2) + "\xe9\xfb\xfd\xff\xff", maxBehind,
			"cfa = sp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},
		{"further", task.AMD64, "\x5d\xc3" + strings.Repeat("\x90", maxBehind-1) + "\xe9\xfa\xfd\xff\xff", maxBehind + 1, ""},
	} {
		// What is before the code is readable in one case, and a page that is not in the other.
		for _, around := range []int{0, maxBehind} {
			code := strings.Repeat("\xcc", around) + tt.code
			q := rule.Query{Arch: tt.arch, PC: 0x5000 + task.Addr(around) + tt.pc - 1, Code: codeAt{0x5000, []byte(code)}}
			r, err := new(Source).Rule(q)
			switch {
			case tt.want == "":
				if err == nil {
					t.Errorf("%s: %s, want no answer", tt.name, r.Format(tt.arch))
				}
			case err != nil || r.Format(tt.arch) != tt.want:
				t.Errorf("%s: %s, %v\nwant %s", tt.name, r.Format(tt.arch), err, tt.want)
			}
		}
	}
}

// All that is followed is bounded, whatever the code.
func TestAheadIsBounded(t *testing.T) {
	code := make([]byte, 2*maxAhead)
	for i := 0; i+1 < len(code); i += 2 {
		code[i] = 0x74 // je, to somewhere else each
		code[i+1] = byte(i)
	}
	q := rule.Query{Arch: task.AMD64, PC: 0x4fff, Code: codeAt{0x5000, code}}
	if r, err := new(Source).Rule(q); err == nil {
		t.Errorf("%s", r.Format(task.AMD64))
	}
}
