package analysis

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// line is one instruction, as the assembler made it, and the rule before it.
type line struct {
	code string // hexadecimal; arm64 as a word, most significant digit first
	rule string
}

// assemble returns the code and where each line starts.
func assemble(t *testing.T, a task.Arch, lines []line) (code []byte, starts []uint32) {
	for _, l := range lines {
		b, err := hex.DecodeString(strings.ReplaceAll(l.code, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if a == task.ARM64 {
			b[0], b[1], b[2], b[3] = b[3], b[2], b[1], b[0]
		}
		starts = append(starts, uint32(len(code)))
		code = append(code, b...)
	}
	return code, starts
}

const (
	entryAMD64  = "cfa = sp + 8; pc = *(cfa - 8)"
	pushedAMD64 = "cfa = sp + 16; pc = *(cfa - 8)" // fp is still the caller's
	frameAMD64  = "cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"
	entryARM64  = "cfa = sp; pc = lr"
)

// programs are functions with what has to be known before each instruction.
var programs = []struct {
	name  string
	arch  task.Arch
	lines []line
}{
	{"frame pointer", task.AMD64, []line{
		{"f30f1efa", entryAMD64}, // endbr64
		{"55", entryAMD64},       // push rbp
		{"4889e5", pushedAMD64},  // mov rsp, rbp
		{"53", frameAMD64},       // push rbx
		{"4883ec18", frameAMD64}, // sub 24, rsp
		{"31db", frameAMD64},     // xor ebx, ebx
		{"e800000100", rbxAMD64}, // call
		{"4883c418", rbxAMD64},   // add 24, rsp
		{"5b", rbxAMD64},         // pop rbx
		{"5d", frameAMD64},       // pop rbp
		{"c3", entryAMD64},       // ret
	}},
	{"late prologue, early exit", task.AMD64, []line{
		{"4885ff", entryAMD64},                                // test rdi, rdi
		{"740b", entryAMD64},                                  // je to the ret
		{"4881ec00010000", entryAMD64},                        // sub 256, rsp
		{"ffd7", "cfa = sp + 264; pc = *(cfa - 8)"},           // call *rdi
		{"eb02", "cfa = sp + 264; pc = *(cfa - 8)"},           // jmp over
		{"c3", entryAMD64},                                    // ret
		{"90", ""},                                            // nothing leads here
		{"4881c400010000", "cfa = sp + 264; pc = *(cfa - 8)"}, // add 256, rsp
		{"ff25 00000000", entryAMD64},                         // tail call through a pointer
	}},
	{"pre-indexed pair", task.ARM64, []line{
		{"d503237f", entryARM64},                                         // pacibsp
		{"a9be4ff4", "cfa = sp; pc = lr; signed"},                        // stp x20, x19, [sp, #-32]!
		{"a9017bfd", "cfa = sp + 32; pc = lr; signed"},                   // stp x29, x30, [sp, #16]
		{"910043fd", "cfa = sp + 32; pc = *(cfa - 8)"},                   // add x29, sp, #16
		{"94000100", "cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"}, // bl
		{"a9417bfd", "cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"}, // ldp x29, x30, [sp, #16]
		{"a8c24ff4", "cfa = sp + 32; pc = *(cfa - 8)"},                   // ldp x20, x19, [sp], #32
		{"d65f0fff", entryARM64},                                         // retab
	}},
	{"large frame, d registers first", task.ARM64, []line{
		{"6dbd23e9", entryARM64},                          // stp d9, d8, [sp, #-48]!
		{"a9027bfd", "cfa = sp + 48; pc = lr"},            // stp x29, x30, [sp, #32]
		{"52840009", "cfa = sp + 48; pc = *(cfa - 8)"},    // mov w9, #0x2000
		{"72a00029", "cfa = sp + 48; pc = *(cfa - 8)"},    // movk w9, #1, lsl #16
		{"94000100", "cfa = sp + 48; pc = *(cfa - 8)"},    // bl ___chkstk_darwin
		{"cb2963ff", "cfa = sp + 48; pc = *(cfa - 8)"},    // sub sp, sp, x9
		{"d63f0100", "cfa = sp + 73776; pc = *(cfa - 8)"}, // blr x8
		{"d4200020", "cfa = sp + 73776; pc = *(cfa - 8)"}, // brk #1
	}},
	{"lr kept in x15", task.ARM64, []line{
		{"aa1e03ef", entryARM64},                       // mov x15, x30
		{"94000100", entryARM64},                       // bl outlined
		{"aa0f03fe", "cfa = sp; r15 = lost; pc = r15"}, // mov x30, x15
		{"14000100", entryARM64},                       // b, a tail call
	}},
}

const rbxAMD64 = "cfa = fp + 16; r3 = *(cfa - 24); fp = *(cfa - 16); pc = *(cfa - 8)"

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			var w walk
			code, starts := assemble(t, p.arch, p.lines)
			for i, l := range p.lines {
				w.code = code
				r, err := w.rule(machineOf(p.arch), starts[i], false)
				switch {
				case l.rule == "" && !errors.Is(err, ErrUncertain) && err != nil:
					t.Errorf("%s: %v", l.code, err)
				case l.rule != "" && (err != nil || r.Format(p.arch) != l.rule):
					t.Errorf("%s: %v, %v\nwant %v", l.code, r.Format(p.arch), err, l.rule)
				}
			}
		})
	}
}

// TestInCall wants a frame that has made a call to go by what calls preserve.
func TestInCall(t *testing.T) {
	var w walk
	w.code, _ = assemble(t, task.ARM64, []line{
		{code: "aa1e03ef"}, // mov x15, x30
		{code: "94000100"}, // bl outlined
		{code: "aa0f03fe"}, // mov x30, x15
		{code: "d65f03c0"}, // ret
	})
	r, err := w.rule(&arm64, 7, true)
	if want := "cfa = sp; r15 = lost; pc = r15"; err != nil || r.Format(task.ARM64) != want {
		t.Errorf("%v, %v, want %s", r.Format(task.ARM64), err, want)
	}
	w.code, _ = assemble(t, task.ARM64, []line{{code: "94000100"}, {code: "d65f03c0"}})
	if r, err := w.rule(&arm64, 3, true); !errors.Is(err, ErrUncertain) {
		t.Errorf("lost return address: %v, %v", r, err)
	}
}

// A callee may not have kept fp, which the function has saved and left alone: Go's
// runtime.mstart, that of crosscall1 (runtime/cgo/gcc_amd64.S).
func TestSavedFramePointerInCall(t *testing.T) {
	w := &walk{}
	code, starts := assemble(t, task.AMD64, []line{
		{code: "53"}, {code: "55"}, // push rbx; push rbp
		{code: "4889fb"},           // mov rdi, rbx
		{code: "ffd3"},             // call *rbx
		{code: "5d"}, {code: "5b"}, // pop rbp; pop rbx
		{code: "c3"},
	})
	for at, want := range map[int]string{
		3: "cfa = sp + 24; rbx = *(cfa - 16); fp = *(cfa - 24); pc = *(cfa - 8)",
		5: "cfa = sp + 16; rbx = *(cfa - 16); pc = *(cfa - 8)", // it was taken back
	} {
		w.code = code
		r, err := w.rule(&amd64, starts[at], true)
		if got := strings.ReplaceAll(r.Format(task.AMD64), "r3", "rbx"); err != nil || got != want {
			t.Errorf("line %d: %s, %v, want %s", at, got, err, want)
		}
	}
}

func TestDeclines(t *testing.T) {
	for _, c := range []struct {
		name string
		code string
		pc   uint32
		want error
	}{
		{"ways disagree", "750150c3", 3, ErrUnbalanced},    // jne over push; ret
		{"stack returned lower", "50c3", 0, ErrUnbalanced}, // push; ret
		{"sp from elsewhere", "4889fcffe0", 3, ErrDisagree},
		{"beyond", "c3c3", 1, ErrUnreached},
	} {
		var w walk
		w.code, _ = hex.DecodeString(c.code)
		if r, err := w.rule(&amd64, c.pc, false); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, r, err, c.want)
		}
	}
}

// text is memory and a file with functions.
type text struct {
	object.File
	at     uint64
	code   []byte
	starts []uint64
}

func (f *text) ReadMemory(p []byte, a task.Addr) (int, error) {
	if uint64(a) < f.at || uint64(a)-f.at >= uint64(len(f.code)) {
		return 0, &task.FaultError{Addr: a}
	}
	n := copy(p, f.code[uint64(a)-f.at:])
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n)}
	}
	return n, nil
}

func (f *text) FunctionStart(v uint64) (start uint64, ok bool) {
	for _, s := range f.starts {
		if s <= v {
			start, ok = s, true
		}
	}
	return start, ok && v < f.at+uint64(len(f.code))
}

func (f *text) query(a task.Arch, pc task.Addr) rule.Query {
	im := &images.Image{Placed: object.Placed{File: f}}
	return rule.Query{Arch: a, Image: im, PC: pc, First: true, Code: f}
}

// TestOutlined has a prologue in outlined code, and stands in all of it.
func TestOutlined(t *testing.T) {
	code, starts := assemble(t, task.ARM64, []line{
		{code: "aa1e03e1"}, // mov x1, x30
		{code: "94000005"}, // bl below
		{code: "aa0103fe"}, // mov x30, x1
		{code: "a9017bfd"}, // stp x29, x30, [sp, #16]
		{code: "14000100"}, // b
		{code: "d503201f"}, // nop
		{code: "d10083ff"}, // sub sp, sp, #32
		{code: "a9004ff4"}, // stp x20, x19, [sp]
		{code: "d65f03c0"}, // ret
		{code: "a9404ff4"}, // ldp x20, x19, [sp]: the same for an epilogue
		{code: "910083ff"}, // add sp, sp, #32
		{code: "d65f03c0"}, // ret
	})
	f := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1018, 0x1024}}
	for i, want := range map[int]string{
		2:  "cfa = sp + 32; r1 = lost; pc = r1",
		3:  "cfa = sp + 32; pc = lr",
		6:  entryARM64,
		7:  "cfa = sp + 32; pc = lr",
		8:  "cfa = sp + 32; pc = lr",
		9:  "cfa = sp + 32; r19 = *(cfa - 24); r20 = *(cfa - 32); pc = lr",
		10: "cfa = sp + 32; pc = lr",
		11: entryARM64,
	} {
		var s Source
		r, err := s.Rule(f.query(task.ARM64, 0x1000+task.Addr(starts[i])))
		if err != nil || r.Format(task.ARM64) != want {
			t.Errorf("%d: %v, %v\nwant %v", i, r.Format(task.ARM64), err, want)
		}
	}
	var s Source
	q := f.query(task.ARM64, 0x1007)
	q.First = false
	if r, err := s.Rule(q); err != nil || !s.Aside(&q) || r.Format(task.ARM64) != "cfa = sp; r1 = lost; pc = r1" {
		t.Errorf("in the call: %v, %v", r.Format(task.ARM64), err)
	}
}

func TestStubs(t *testing.T) {
	for _, c := range []struct {
		arch task.Arch
		code string // words of arm64 in order, least significant digit first
		size int32
	}{
		{task.ARM64, "10000090 100240f9 00021fd6", 0},
		{task.ARM64, "11000090 31020091 300240f9 110a1fd7", 0},
		{task.ARM64, "01000090 210040f9 10000090 100240f9 00021fd6", 0},
		{task.AMD64, "ff2500000000", 0},
		{task.AMD64, "488b3500000000 ff2500000000", 0},
	} {
		code, _ := hex.DecodeString(strings.ReplaceAll(c.code, " ", ""))
		f := &text{at: 0x1000, code: append(code, make([]byte, maxStub)...)}
		var s Source
		r, err := s.Rule(f.query(c.arch, 0x1000))
		if want := rule.Frameless(c.arch, c.size); err != nil || r != want {
			t.Errorf("%s: %v, %v", c.code, r.Format(c.arch), err)
		}
	}
}

func BenchmarkSource(b *testing.B) {
	for _, p := range programs {
		b.Run(p.name, func(b *testing.B) {
			code, starts := assemble(new(testing.T), p.arch, p.lines)
			around := make([]byte, 64) // so that no read fails, which allocates
			end := 0x1000 + uint64(len(code))
			f := &text{at: 0x1000 - 64, code: append(append(around, code...), around...), starts: []uint64{0x1000, end}}
			var s Source
			q := f.query(p.arch, 0x1000+task.Addr(starts[2]))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Rule(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func FuzzRule(f *testing.F) {
	for _, p := range programs {
		code, starts := assemble(new(testing.T), p.arch, p.lines)
		f.Add(code, starts[len(starts)-1], p.arch == task.ARM64)
	}
	f.Fuzz(func(t *testing.T, code []byte, pc uint32, isARM64 bool) {
		a := task.AMD64
		if isARM64 {
			a = task.ARM64
		}
		file := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1000 + uint64(len(code))/2}}
		var s Source
		q := file.query(a, 0x1000+task.Addr(pc%(uint32(len(code))+1)))
		r, err := s.Rule(q)
		if err == nil && !r.Valid() {
			t.Fatalf("invalid rule %v", r)
		}
		q.First = false
		s.Aside(&q)
		s.Rule(q)
	})
}
