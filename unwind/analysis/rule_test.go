package analysis

import (
	"encoding/hex"
	"errors"
	"slices"
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
	pushedAMD64 = "cfa = sp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"
	frameAMD64  = "cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"
	entryARM64  = "cfa = sp; pc = lr"

	scalableARM64 = "cfa = fp + 32; fp = *(cfa - 32); pc = *(cfa - 24)"

	indexedAMD64 = "cfa = *(sp + 8·r9 + 8) + 8; fp = *(cfa - 16); pc = *(cfa - 8)"
	alignedAMD64 = "cfa = *(sp + 88) + 8; "
)

// program is a function with what has to be known before each instruction.
type program struct {
	name  string
	arch  task.Arch
	lines []line
}

var programs = slices.Concat(programs64, programsI386, programsARM)

var programs64 = []program{
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
	// x265's assembler fills with lea 0(rbp), rbp: ffmpeg 4.1.0, x86_64, 0x10377a0e9.
	{"filling with lea", task.AMD64, []line{
		{"488d6d00", entryAMD64},  // lea 0(rbp), rbp
		{"55", entryAMD64},        // push rbp
		{"488d2c24", pushedAMD64}, // lea (rsp), rbp
		{"488d6d00", frameAMD64},  // lea 0(rbp), rbp
		{"488d6d08", frameAMD64},  // lea 8(rbp), rbp
		{"488d6df8", "cfa = fp + 8; fp = *(cfa - 16); pc = *(cfa - 8)"}, // lea -8(rbp), rbp
		{"5d", frameAMD64}, // pop rbp
		{"c3", entryAMD64}, // ret
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
	// AES_cbc_encrypt of OpenSSL: simple-git 0.1.22, x86_64, 0x1a2530.
	{"sp exchanged", task.AMD64, []line{
		{"55", entryAMD64},          // push rbp
		{"4c8d5424b0", pushedAMD64}, // lea -80(rsp), r10
		{"4983e2c0", pushedAMD64},   // and -64, r10
		{"4c87d4", pushedAMD64},     // xchg r10, rsp
		{"4c89542410", "cfa = r10 + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},        // mov r10, 16(rsp)
		{"4531d2", "cfa = r10 + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},            // xor r10d, r10d
		{"488b442410", "cfa = *(sp + 16) + 16; fp = *(cfa - 16); pc = *(cfa - 8)"}, // mov 16(rsp), rax
		{"4894", "cfa = r0 + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},               // xchg rax, rsp
		{"5d", pushedAMD64}, // pop rbp
		{"c3", entryAMD64},  // ret
	}},
	{"a push of half a word", task.AMD64, []line{
		{"6650", entryAMD64},                         // push ax
		{"666a07", "cfa = sp + 10; pc = *(cfa - 8)"}, // push 7, of 16 bits
		{"53", "cfa = sp + 12; pc = *(cfa - 8)"},     // push rbx
		{"5b", "cfa = sp + 20; pc = *(cfa - 8)"},     // pop rbx
		{"6658", "cfa = sp + 12; pc = *(cfa - 8)"},   // pop ax
		{"6659", "cfa = sp + 10; pc = *(cfa - 8)"},   // pop cx
		{"c3", entryAMD64},                           // ret
	}},
	// What is called is a function, though nothing says so: s2n-bignum in lancedb 0.31,
	// arm64, 0x52fcc94.
	{"a part called", task.AMD64, []line{
		{"53", entryAMD64}, // push rbx
		{"e802000000", "cfa = sp + 16; pc = *(cfa - 8)"}, // call the part
		{"5b", "cfa = sp + 16; pc = *(cfa - 8)"},         // pop rbx
		{"c3", entryAMD64},                               // ret
		{"55", entryAMD64},                               // push rbp
		{"5d", pushedAMD64},                              // pop rbp
		{"c3", entryAMD64},                               // ret
	}},
	{"a part called that leaves more on the stack", task.AMD64, []line{
		{"53", entryAMD64}, // push rbx
		{"e802000000", "cfa = sp + 16; pc = *(cfa - 8)"}, // call the part
		{"5b", "cfa = sp + 16; pc = *(cfa - 8)"},         // pop rbx
		{"c3", entryAMD64},                               // ret
		{"4883ec18", ""},                                 // sub 24, rsp
		{"c3", ""},                                       // ret
	}},
	{"a part called that goes on in its caller", task.AMD64, []line{
		{"53", entryAMD64}, // push rbx
		{"e802000000", "cfa = sp + 16; pc = *(cfa - 8)"}, // call the part
		{"5b", "cfa = sp + 16; pc = *(cfa - 8)"},         // pop rbx
		{"c3", entryAMD64},                               // ret
		{"4883ec18", entryAMD64},                         // sub 24, rsp
		{"ebf8", "cfa = sp + 32; pc = *(cfa - 8)"},       // jmp to the pop
	}},
	// An index may lead anywhere in the frame.
	{"an array on the stack", task.AMD64, []line{
		{"53", entryAMD64}, // push rbx
		{"488904cc", "cfa = sp + 16; pc = *(cfa - 8)"},             // mov rax, (rsp, rcx, 8)
		{"488b1ccc", "cfa = sp + 16; pc = *(cfa - 8)"},             // mov (rsp, rcx, 8), rbx
		{"90", "cfa = sp + 16; r3 = *(cfa - 16); pc = *(cfa - 8)"}, // nop
		{"5b", "cfa = sp + 16; r3 = *(cfa - 16); pc = *(cfa - 8)"}, // pop rbx
		{"c3", entryAMD64}, // ret
	}},
	// Tables behind a call that does not return, in which there is the byte of a ret:
	// libsql 0.5.29, x86_64, 0x16aec0.
	{"tables of jumps", task.AMD64, []line{
		{"55", entryAMD64},                     // push rbp
		{"4889e5", pushedAMD64},                // mov rsp, rbp
		{"4883ec10", frameAMD64},               // sub 16, rsp
		{strings.Repeat("90", 32), frameAMD64}, // nops
		{"488d0524000000", frameAMD64},         // lea first, rax
		{"48631488", frameAMD64},               // movslq (rax, rcx, 4), rdx
		{"4801c2", frameAMD64},                 // add rax, rdx
		{"ffe2", frameAMD64},                   // jmp *rdx
		{"488d0520000000", frameAMD64},         // lea second, rax
		{"48631488", frameAMD64},               // movslq (rax, rcx, 4), rdx
		{"4801c2", frameAMD64},                 // add rax, rdx
		{"ffe2", frameAMD64},                   // jmp *rdx
		{"4883c410", frameAMD64},               // add 16, rsp
		{"5d", frameAMD64},                     // pop rbp
		{"c3", entryAMD64},                     // ret
		{"e800000100", frameAMD64},             // call
		{"c3ffffff 14000000 e5ffffff", ""},     // first: a nop, behind the tables, the second jump
		{"e9ffffff 08000000", ""},              // second: add 16, rsp, before and behind the tables
		{"4883c410", frameAMD64},               // add 16, rsp
		{"5d", frameAMD64}, {"c3", entryAMD64}, // pop rbp; ret
	}},
	// Hand-written cryptography keeps the sp of its entry below an aligned frame:
	// libsql 0.5.29, x86_64, 0x533380.
	{"aligned, sp kept in the frame", task.AMD64, []line{
		{"4889e0", entryAMD64},                                             // mov rsp, rax
		{"53", entryAMD64},                                                 // push rbx
		{"55", "cfa = sp + 16; pc = *(cfa - 8)"},                           // push rbp
		{"4157", "cfa = sp + 24; fp = *(cfa - 24); pc = *(cfa - 8)"},       // push r15
		{"4883ec60", "cfa = sp + 32; fp = *(cfa - 24); pc = *(cfa - 8)"},   // sub 96, rsp
		{"4883e4c0", "cfa = sp + 128; fp = *(cfa - 24); pc = *(cfa - 8)"},  // and -64, rsp
		{"4889442458", "cfa = r0 + 8; fp = *(cfa - 24); pc = *(cfa - 8)"},  // mov rax, 88(rsp)
		{"7502", "cfa = r0 + 8; fp = *(cfa - 24); pc = *(cfa - 8)"},        // jne over
		{"31c9", "cfa = r0 + 8; fp = *(cfa - 24); pc = *(cfa - 8)"},        // xor ecx, ecx
		{"31c0", "cfa = r0 + 8; fp = *(cfa - 24); pc = *(cfa - 8)"},        // xor eax, eax
		{"bd01000000", alignedAMD64 + "fp = *(cfa - 24); pc = *(cfa - 8)"}, // mov 1, ebp
		{"41ff5500", alignedAMD64 + "fp = *(cfa - 24); pc = *(cfa - 8)"},   // call *(r13)
		{"488b742458", alignedAMD64 + "fp = *(cfa - 24); pc = *(cfa - 8)"}, // mov 88(rsp), rsi
		{"4c8b7ee8", "cfa = r4 + 8; fp = *(cfa - 24); pc = *(cfa - 8)"},    // mov -24(rsi), r15
		{"488b6ef0", "cfa = r4 + 8; fp = *(cfa - 24); pc = *(cfa - 8)"},    // mov -16(rsi), rbp
		{"488b5ef8", "cfa = r4 + 8; fp = *(cfa - 24); pc = *(cfa - 8)"},    // mov -8(rsi), rbx
		{"488d26", "cfa = r4 + 8; fp = *(cfa - 24); pc = *(cfa - 8)"},      // lea (rsi), rsp
		{"c3", entryAMD64}, // ret
	}},
	// Multiplication of large numbers keeps it behind an array: libsql 0.5.29, 0x51b320.
	{"aligned, sp kept behind an array", task.AMD64, []line{
		{"4889e0", entryAMD64}, // mov rsp, rax
		{"55", entryAMD64},     // push rbp
		{"49f7d9", "cfa = sp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},          // neg r9
		{"4e8d54ccf0", "cfa = sp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},      // lea -16(rsp, r9, 8), r10
		{"49f7d9", "cfa = sp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},          // neg r9
		{"4981e200fcffff", "cfa = sp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},  // and -1024, r10
		{"498d22", "cfa = sp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"},          // lea (r10), rsp
		{"488da42400f0ffff", "cfa = r0 + 8; fp = *(cfa - 16); pc = *(cfa - 8)"}, // lea -4096(rsp), rsp
		{"4c8b1c24", "cfa = r0 + 8; fp = *(cfa - 16); pc = *(cfa - 8)"},         // mov (rsp), r11
		{"4c39dc", "cfa = r0 + 8; fp = *(cfa - 16); pc = *(cfa - 8)"},           // cmp r11, rsp
		{"77ef", "cfa = r0 + 8; fp = *(cfa - 16); pc = *(cfa - 8)"},             // ja back
		{"4a8944cc08", "cfa = r0 + 8; fp = *(cfa - 16); pc = *(cfa - 8)"},       // mov rax, 8(rsp, r9, 8)
		{"31c0", "cfa = r0 + 8; fp = *(cfa - 16); pc = *(cfa - 8)"},             // xor eax, eax
		{"bd01000000", indexedAMD64},                                            // mov 1, ebp
		{"4a8954f408", indexedAMD64},                                            // mov rdx, 8(rsp, r14, 8)
		{"4a89548c08", indexedAMD64},                                            // mov rdx, 8(rsp, r9, 4)
		{"4a8b74cc08", indexedAMD64},                                            // mov 8(rsp, r9, 8), rsi
		{"488b6ef8", "cfa = r4 + 8; fp = *(cfa - 16); pc = *(cfa - 8)"},         // mov -8(rsi), rbp
		{"488d26", "cfa = r4 + 8; fp = *(cfa - 16); pc = *(cfa - 8)"},           // lea (rsi), rsp
		{"c3", entryAMD64}, // ret
	}},
	{"pre-indexed pair", task.ARM64, []line{
		{"d503237f", entryARM64},                                         // pacibsp
		{"a9be4ff4", "cfa = sp; pc = lr; signed"},                        // stp x20, x19, [sp, #-32]!
		{"a9017bfd", "cfa = sp + 32; pc = lr; signed"},                   // stp x29, x30, [sp, #16]
		{"910043fd", "cfa = sp + 32; fp = *(cfa - 16); pc = *(cfa - 8)"}, // add x29, sp, #16
		{"94000100", "cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"}, // bl
		{"a9417bfd", "cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"}, // ldp x29, x30, [sp, #16]
		{"a8c24ff4", "cfa = sp + 32; fp = *(cfa - 16); pc = *(cfa - 8)"}, // ldp x20, x19, [sp], #32
		{"d65f0fff", entryARM64},                                         // retab
	}},
	{"large frame, d registers first", task.ARM64, []line{
		{"6dbd23e9", entryARM64},                                            // stp d9, d8, [sp, #-48]!
		{"a9027bfd", "cfa = sp + 48; pc = lr"},                              // stp x29, x30, [sp, #32]
		{"52840009", "cfa = sp + 48; fp = *(cfa - 16); pc = *(cfa - 8)"},    // mov w9, #0x2000
		{"72a00029", "cfa = sp + 48; fp = *(cfa - 16); pc = *(cfa - 8)"},    // movk w9, #1, lsl #16
		{"94000100", "cfa = sp + 48; fp = *(cfa - 16); pc = *(cfa - 8)"},    // bl ___chkstk_darwin
		{"cb2963ff", "cfa = sp + 48; fp = *(cfa - 16); pc = *(cfa - 8)"},    // sub sp, sp, x9
		{"d63f0100", "cfa = sp + 73776; fp = *(cfa - 16); pc = *(cfa - 8)"}, // blr x8
		{"d4200020", "cfa = sp + 73776; fp = *(cfa - 16); pc = *(cfa - 8)"}, // brk #1
	}},
	// Rust touches the pages of a large frame in a loop of its own.
	{"compares and adds of extended registers of 32 bits", task.ARM64, []line{
		{"d10043ff", entryARM64},               // sub sp, sp, #16
		{"6b21401f", "cfa = sp + 16; pc = lr"}, // cmp w0, w1, uxtw
		{"2b21401f", "cfa = sp + 16; pc = lr"}, // cmn w0, w1, uxtw
		{"0b214003", "cfa = sp + 16; pc = lr"}, // add w3, w0, w1, uxtw
		{"910043ff", "cfa = sp + 16; pc = lr"}, // add sp, sp, #16
		{"d65f03c0", entryARM64},               // ret
	}},
	{"probes in a loop", task.ARM64, []line{
		{"d14043e9", entryARM64},                  // sub x9, sp, #16, lsl #12
		{"d14007ff", "cfa = r9 + 65536; pc = lr"}, // sub sp, sp, #1, lsl #12
		{"f90003ff", "cfa = r9 + 65536; pc = lr"}, // str xzr, [sp]
		{"eb2963ff", "cfa = r9 + 65536; pc = lr"}, // cmp sp, x9
		{"54ffffa1", "cfa = r9 + 65536; pc = lr"}, // b.ne
		{"d10083ff", "cfa = sp + 65536; pc = lr"}, // sub sp, sp, #32
		{"d503201f", "cfa = sp + 65568; pc = lr"}, // nop
		{"910083ff", "cfa = sp + 65568; pc = lr"}, // add sp, sp, #32
		{"914043ff", "cfa = sp + 65536; pc = lr"}, // add sp, sp, #16, lsl #12
		{"d65f03c0", entryARM64},                  // ret
	}},
	{"a loop that ends with another number", task.ARM64, []line{
		{"d14043e9", entryARM64},                  // sub x9, sp, #16, lsl #12
		{"d14007ff", "cfa = r9 + 65536; pc = lr"}, // sub sp, sp, #1, lsl #12
		{"eb2963ff", "cfa = r9 + 65536; pc = lr"}, // cmp sp, x9
		{"f100047f", "cfa = r9 + 65536; pc = lr"}, // cmp x3, #1
		{"54ffffa1", "cfa = r9 + 65536; pc = lr"}, // b.ne
		{"d2800009", "cfa = r9 + 65536; pc = lr"}, // mov x9, #0
		{"d503201f", ""},                          // nop
		{"d61f0000", ""},                          // br x0
	}},
	// z29 is not x29; addvl moves sp.
	{"vectors without a size", task.ARM64, []line{
		{"a9be7bfd", entryARM64}, // stp x29, x30, [sp, #-32]!
		{"910003fd", "cfa = sp + 32; fp = *(cfa - 32); pc = *(cfa - 24)"}, // mov x29, sp
		{"25f8c01d", scalableARM64},                                       // mov z29.d, #0
		{"a5e0a01d", scalableARM64},                                       // ld1d z29
		{"04f0c3fd", scalableARM64},                                       // incd z29.d
		{"05e8a05d", scalableARM64},                                       // mov z29.d, p0/m, x2
		{"04e24c3d", scalableARM64},                                       // index z29.d, x1, x2
		{"25c183a0", scalableARM64},                                       // cmpeq p0.d, p0/z, z29.d, #1
		{"043f57bf", scalableARM64},                                       // addvl sp, sp, #-3
		{"94000100", scalableARM64},                                       // bl
		{"910003bf", scalableARM64},                                       // mov sp, x29
		{"a8c27bfd", scalableARM64},                                       // ldp x29, x30, [sp], #32
		{"d65f03c0", entryARM64},                                          // ret
	}},
	// SME's and SVE's registers are saved above: image 1.15.0 of napi-rs, arm64, 0x93b72c.
	{"vectors given back", task.ARM64, []line{
		{"a9be7bfd", entryARM64}, // stp x29, x30, [sp, #-32]!
		{"910003fd", "cfa = sp + 32; fp = *(cfa - 32); pc = *(cfa - 24)"}, // mov x29, sp
		{"d10043ff", scalableARM64},                                       // sub sp, sp, #16
		{"043f57bf", scalableARM64},                                       // addvl sp, sp, #-3
		{"54000061", scalableARM64},                                       // b.ne
		{"043f503f", scalableARM64},                                       // addvl sp, sp, #1
		{"043f57ff", scalableARM64},                                       // addvl sp, sp, #-1
		{"94000100", scalableARM64},                                       // bl
		{"910043ff", scalableARM64},                                       // add sp, sp, #16
		{"043f507f", scalableARM64},                                       // addvl sp, sp, #3
		{"a8c27bfd", scalableARM64},                                       // ldp x29, x30, [sp], #32
		{"d65f03c0", entryARM64},                                          // ret
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
				r, err := w.rule(w.machineOf(&rule.Query{Arch: p.arch}, 0), starts[i], false)
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

// Outlined code makes fp point to the frame record and ends with the jump to the
// function that its part of the prologue would have called next. fp is from there on
// the function's own, and the caller's in its slot: @napi-rs/canvas 1.0.11, arm64,
// 0xcf716c.
func TestOutlinedThunk(t *testing.T) {
	code, starts := assemble(t, task.ARM64, []line{
		{code: "a9bd57f6"}, // stp x22, x21, [sp, #-48]!
		{code: "a9014ff4"}, // stp x20, x19, [sp, #16]
		{code: "a9027bfd"}, // stp x29, x30, [sp, #32]
		{code: "94000007"}, // bl below
		{code: "aa0003f3"}, // mov x19, x0
		{code: "a9427bfd"}, // ldp x29, x30, [sp, #32]
		{code: "a9414ff4"}, // ldp x20, x19, [sp, #16]
		{code: "a8c357f6"}, // ldp x22, x21, [sp], #48
		{code: "d65f03c0"}, // ret
		{code: "d503201f"}, // nop
		{code: "910083fd"}, // add x29, sp, #32
		{code: "aa0003e2"}, // mov x2, x0
		{code: "14000100"}, // b far away
	})
	f := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1028, 0x1034}}
	f.want(t, task.ARM64, starts, map[int]string{
		3: "cfa = sp + 48; fp = *(cfa - 16); pc = *(cfa - 8)",
		4: "cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)",
		5: "cfa = fp + 16; r19 = *(cfa - 24); fp = *(cfa - 16); pc = *(cfa - 8)",
		6: "cfa = sp + 48; r19 = *(cfa - 24); fp = *(cfa - 16); pc = *(cfa - 8)",
		7: "cfa = sp + 48; fp = *(cfa - 16); pc = *(cfa - 8)",
		8: entryARM64,
	})
}

// What is called before the frame is finished is not outlined if it moves sp and jumps
// on: a function's own loop. And what it jumps to keeps no more than any call.
func TestNoOutlinedThunk(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"moves sp", "d10043ff", "cfa = sp + 48; fp = *(cfa - 16); pc = *(cfa - 8)"},         // sub sp, sp, #16
		{"makes a register", "910043e9", "cfa = sp + 48; fp = *(cfa - 16); pc = *(cfa - 8)"}, // add x9, sp, #16
	} {
		code, starts := assemble(t, task.ARM64, []line{
			{code: "d100c3ff"}, // sub sp, sp, #48
			{code: "a9027bfd"}, // stp x29, x30, [sp, #32]
			{code: "94000004"}, // bl below
			{code: "d503201f"}, // nop
			{code: "d61f0000"}, // br x0
			{code: "d503201f"}, // nop
			{code: c.code},
			{code: "14000100"}, // b far away
		})
		f := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1018, 0x1020}}
		var s Source
		r, err := s.Rule(f.query(task.ARM64, 0x1000+task.Addr(starts[3])))
		if err != nil || r.Format(task.ARM64) != c.want {
			t.Errorf("%s: %v, %v\nwant %v", c.name, r.Format(task.ARM64), err, c.want)
		}
	}
	after := arm64.entered()
	after.slot[10] = -16 // x29, which does not point there: unfinished
	after.reg[9] = atCFA(-8)
	code, _ := assemble(t, task.ARM64, []line{{code: "910083fd"}, {code: "14000100"}}) // add x29, sp, #32; b
	w := walk{machine: &arm64, mem: &text{at: 0x1000, code: code}, start: 0x1000}
	if !w.outlined(&after, 0) || after.reg[9] != (value{}) || after.reg[x29] != atCFA(32) {
		t.Errorf("x9 is %+v, x29 %+v", after.reg[9], after.reg[x29])
	}
}

// What a function calls may use fp for what it likes, and be interrupted or returned
// from with it: libsql 0.5.29, x86_64, 0x521280.
func TestFramePointerFromItsSlot(t *testing.T) {
	code, starts := assemble(t, task.AMD64, []line{
		{code: "55"}, {code: "53"}, // push rbp; push rbx
		{code: "e800000100"},       // call
		{code: "89c3"},             // mov eax, ebx
		{code: "5b"}, {code: "5d"}, // pop rbx; pop rbp
		{code: "c3"},
	})
	for i, want := range []string{
		entryAMD64, pushedAMD64,
		"cfa = sp + 24; fp = *(cfa - 16); pc = *(cfa - 8)",
		"cfa = sp + 24; fp = *(cfa - 16); pc = *(cfa - 8)",
		"cfa = sp + 24; r3 = *(cfa - 24); fp = *(cfa - 16); pc = *(cfa - 8)",
		pushedAMD64, entryAMD64,
	} {
		w := walk{code: code}
		r, err := w.rule(&amd64, starts[i], false)
		if err != nil || r.Format(task.AMD64) != want {
			t.Errorf("%d: %v, %v\nwant %v", i, r.Format(task.AMD64), err, want)
		}
	}
}

// Instructions of SVE that write a general register make it unknown.
func TestScalableRegisters(t *testing.T) {
	for _, c := range []struct {
		code  uint32
		wants bool
	}{
		{0x047f503d, true}, {0x04bf503d, true}, {0x04bf583d, true}, // addpl, rdvl, rdsvl
		{0x04e0e3fd, true}, {0x0430e3fd, true}, {0x0430fbfd, true}, {0x0420f7fd, true}, // cntd, incb, sqdecb, uqincb
		{0x05e1a03d, true}, {0x05f0a03d, true}, // lastb, clasta
		{0x25e0803d, true}, {0x25ec883d, true}, {0x25e88c3d, true}, // cntp, incp, sqincp
		{0x0420bc3d, false}, {0x65c2003d, false}, {0x05e0387d, false}, {0x25e2143d, false}, // movprfx, fadd, mov z29.d, x3, whilelt
		{0x05e4383d, false}, {0x05e2c03d, false}, {0x85c003bd, false}, {0x04e2603d, false}, // insr, sel, prfb, mul
	} {
		s := arm64.entered()
		e := a64Effect{a64: a64(c.code), machine: &arm64, s: &s}
		if e.run(); (s.reg[x29] != entryOf(x29)) != c.wants {
			t.Errorf("%#x: x29 is %+v", c.code, s.reg[x29])
		}
	}
}

// Labels of assembly stand among the starts of functions: @napi-rs/canvas 1.0.11,
// x86_64, 0xcd8c20. What runs out of its end is no function, nor what returns with
// another frame than it was entered with.
func TestLabels(t *testing.T) {
	code, starts := assemble(t, task.AMD64, []line{
		{code: "53"},     // push rbx
		{code: "85d2"},   // test edx, edx
		{code: "7505"},   // jne first
		{code: "31c0"},   // xor eax, eax
		{code: "5b"},     // pop rbx
		{code: "c3"},     // ret
		{code: "90"},     // nop
		{code: "83fa08"}, // first: cmp 8, edx
		{code: "7504"},   // jne third
		{code: "31c0"},   // second: xor eax, eax
		{code: "5b"},     // pop rbx
		{code: "c3"},     // ret
		{code: "5b"},     // third: pop rbx
		{code: "c3"},     // ret
	})
	f := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x100a, 0x100f, 0x1013}}
	pushed := "cfa = sp + 16; pc = *(cfa - 8)"
	f.want(t, task.AMD64, starts, map[int]string{0: entryAMD64, 1: pushed, 7: pushed, 8: pushed, 9: pushed, 11: entryAMD64, 12: pushed})
}

// A label that an earlier function may lead to, for all that is known, tells nothing.
func TestLabelOfAGuess(t *testing.T) {
	code, starts := assemble(t, task.AMD64, []line{
		{code: "53"},   // push rbx
		{code: "ffe0"}, // jmp *rax
		{code: "31c0"}, // xor eax, eax
		{code: "5b"},   // pop rbx
		{code: "c3"},   // ret
	})
	f := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1003}}
	var s Source
	if r, err := s.Rule(f.query(task.AMD64, 0x1000+task.Addr(starts[2]))); err != ErrUnbalanced {
		t.Errorf("%v, %v", r.Format(task.AMD64), err)
	}
}

// A function of which the compiler knows that its end is never reached runs out of it:
// it has the frame that it has, whatever comes behind.
func TestUnreachableEnd(t *testing.T) {
	code, starts := assemble(t, task.AMD64, []line{
		{code: "53"},   // push rbx
		{code: "31c0"}, // xor eax, eax
		{code: "53"},   // the next function: push rbx
		{code: "5b"},   // pop rbx
		{code: "c3"},   // ret
	})
	f := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1003}}
	f.want(t, task.AMD64, starts, map[int]string{0: entryAMD64, 1: "cfa = sp + 16; pc = *(cfa - 8)", 2: entryAMD64})
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

// want wants the rules before some of the instructions, by their number.
func (f *text) want(t *testing.T, a task.Arch, starts []uint32, rules map[int]string) {
	t.Helper()
	for i, want := range rules {
		var s Source
		r, err := s.Rule(f.query(a, task.Addr(f.at)+task.Addr(starts[i])))
		if err != nil || r.Format(a) != want {
			t.Errorf("%d: %v, %v\nwant %v", i, r.Format(a), err, want)
		}
	}
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
	f.want(t, task.ARM64, starts, map[int]string{
		2:  "cfa = sp + 32; r1 = lost; pc = r1",
		3:  "cfa = sp + 32; pc = lr",
		6:  entryARM64,
		7:  "cfa = sp + 32; pc = lr",
		8:  "cfa = sp + 32; pc = lr",
		9:  "cfa = sp + 32; r19 = *(cfa - 24); r20 = *(cfa - 32); pc = lr",
		10: "cfa = sp + 32; pc = lr",
		11: entryARM64,
	})
	var s Source
	q := f.query(task.ARM64, 0x1007)
	q.First = false
	if r, err := s.Rule(q); err != nil || !s.OutOfLineCall(&q) || r.Format(task.ARM64) != "cfa = sp; r1 = lost; pc = r1" {
		t.Errorf("in the call: %v, %v", r.Format(task.ARM64), err)
	}
}

func TestAddVectors(t *testing.T) {
	v := atCFA(-32)
	for range 4 {
		v = v.addVectors(-32)
	}
	if v != (value{kind: scaled, off: -32, num: 128}) || v.addVectors(-1) != (value{}) || v.addVectors(31).kind != scaled {
		t.Errorf("%+v, and one more %+v", v, v.addVectors(-1))
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
		{task.I386, "ff2500000000", 0},
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
		f.Add(code, starts[len(starts)-1], uint8(p.arch))
	}
	f.Fuzz(func(t *testing.T, code []byte, pc uint32, arch uint8) {
		a := task.Arch(arch % 5)
		file := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1000 + uint64(len(code))/2}}
		var s Source
		q := file.query(a, 0x1000+task.Addr(pc%(uint32(len(code))+1)))
		r, err := s.Rule(q)
		if err == nil && !r.Valid() {
			t.Fatalf("invalid rule %v", r)
		}
		q.First = false
		s.OutOfLineCall(&q)
		s.Rule(q)
		at := pc % (uint32(len(code)) + 1)
		compareKnown(t, file, a, []uint32{0, at, at / 2, at/2 + 1}, true)
	})
}
