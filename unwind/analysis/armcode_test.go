package analysis

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

const entryARM = "cfa = sp; pc = lr"

// TestARMLeaves looks behind an instruction that moves sp on a condition, up to the first
// on another one.
func TestARMLeaves(t *testing.T) {
	const filler = "0100a003" // moveq r0, #1
	for _, c := range []struct {
		name, code string
		want       bool
	}{
		{"returns", "1eff2f01", true},                                                              // bxeq lr
		{"pops pc", "8080bd08", true},                                                              // popeq {r7, pc}
		{"on another condition", "1eff2f11", false},                                                // bxne lr
		{"always", "1eff2fe1", false},                                                              // bx lr
		{"further on", filler + "1eff2f01", true},                                                  //
		{"behind another condition", "0100a013" + "1eff2f01", false},                               // movne r0, #1
		{"stays", filler + filler, false},                                                          //
		{"cut", filler + "1eff2f", false},                                                          //
		{"as the last that is looked at", strings.Repeat(filler, maxSame-1) + "1eff2f01", true},    //
		{"behind the last that is looked at", strings.Repeat(filler, maxSame) + "1eff2f01", false}, //
	} {
		code, err := hex.DecodeString("08d08d02" + c.code) // addeq sp, sp, #8
		if err != nil {
			t.Fatal(err)
		}
		if got := armLeaves(code, 0); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// programsARM are of ARM and Thumb code, its bytes in order.
var programsARM = []program{
	{"thumb, frame pointer", task.ARM, []line{
		{"b0b5", entryARM}, // push {r4, r5, r7, lr}
		{"02af", "cfa = sp + 16; fp = *(cfa - 8); pc = *(cfa - 4)"},                      // add r7, sp, #8
		{"2de90005", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},                   // push.w {r8, r10}
		{"2ded048b", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},                   // vpush {d8, d9}
		{"adf14004", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},                   // sub.w r4, sp, #64
		{"6ff30304", "cfa = fp + 8; r4 = *(cfa - 16); fp = *(cfa - 8); pc = *(cfa - 4)"}, // bfc r4, #0, #4
		{"a546", "cfa = fp + 8; r4 = *(cfa - 16); fp = *(cfa - 8); pc = *(cfa - 4)"},     // mov sp, r4
		{"9847", "cfa = fp + 8; r4 = *(cfa - 16); fp = *(cfa - 8); pc = *(cfa - 4)"},     // blx r3
		{"a7f12004", "cfa = fp + 8; r4 = *(cfa - 16); fp = *(cfa - 8); pc = *(cfa - 4)"}, // sub.w r4, r7, #32
		{"a546", "cfa = fp + 8; r4 = *(cfa - 16); fp = *(cfa - 8); pc = *(cfa - 4)"},     // mov sp, r4
		{"bdec048b", "cfa = fp + 8; r4 = *(cfa - 16); fp = *(cfa - 8); pc = *(cfa - 4)"}, // vpop {d8, d9}
		{"bde80005", "cfa = fp + 8; r4 = *(cfa - 16); fp = *(cfa - 8); pc = *(cfa - 4)"}, // pop.w {r8, r10}
		{"b0bd", "cfa = fp + 8; r4 = *(cfa - 16); fp = *(cfa - 8); pc = *(cfa - 4)"},     // pop {r4, r5, r7, pc}
	}},
	{"thumb, conditional return", task.ARM, []line{
		{"80b5", entryARM}, // push {r7, lr}
		{"6f46", "cfa = sp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},     // mov r7, sp
		{"82b0", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},     // sub sp, #8
		{"0328", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},     // cmp r0, #3
		{"04bf", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},     // itt eq
		{"02b0", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},     // addeq sp, #8
		{"80bd", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},     // popeq {r7, pc}
		{"9847", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},     // blx r3
		{"02b0", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},     // add sp, #8
		{"bde88040", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"}, // pop.w {r7, lr}
		{"7047", entryARM}, // bx lr
	}},
	{"thumb, no frame pointer", task.ARM, []line{
		{"4df804ed", entryARM},                                                 // str lr, [sp, #-4]!
		{"41f2000c", "cfa = sp + 4; pc = *(cfa - 4)"},                          // movw r12, #4096
		{"c0f2010c", "cfa = sp + 4; pc = *(cfa - 4)"},                          // movt r12, #1
		{"adeb0c0d", "cfa = sp + 4; pc = *(cfa - 4)"},                          // sub.w sp, sp, r12
		{"cdf80480", "cfa = sp + 69636; pc = *(cfa - 4)"},                      // str.w r8, [sp, #4]
		{"4ff00008", "cfa = sp + 69636; pc = *(cfa - 4)"},                      // mov.w r8, #0
		{"9847", "cfa = sp + 69636; r8 = *(cfa - 69632); pc = *(cfa - 4)"},     // blx r3
		{"ddf80480", "cfa = sp + 69636; r8 = *(cfa - 69632); pc = *(cfa - 4)"}, // ldr.w r8, [sp, #4]
		{"41f2000c", "cfa = sp + 69636; pc = *(cfa - 4)"},                      // movw r12, #4096
		{"c0f2010c", "cfa = sp + 69636; pc = *(cfa - 4)"},                      // movt r12, #1
		{"e544", "cfa = sp + 69636; pc = *(cfa - 4)"},                          // add sp, r12
		{"5df804fb", "cfa = sp + 4; pc = *(cfa - 4)"},                          // ldr pc, [sp], #4
	}},
	{"thumb, jumps by a table", task.ARM, []line{
		{"6de9024e", entryARM},                        // strd r4, lr, [sp, #-8]!
		{"dfe800f0", "cfa = sp + 8; pc = *(cfa - 4)"}, // tbb [pc, r0]
		{"0302", ""}, // to the second and the first; then one byte that fills
		{"2de9", ""}, // what would be a push.w
		{"0024", "cfa = sp + 8; pc = *(cfa - 4)"},                      // movs r4, #0
		{"9847", "cfa = sp + 8; r4 = *(cfa - 8); pc = *(cfa - 4)"},     // blx r3
		{"fde8024e", "cfa = sp + 8; r4 = *(cfa - 8); pc = *(cfa - 4)"}, // ldrd r4, lr, [sp], #8
		{"7047", entryARM}, // bx lr
	}},
	{"thumb, a table that leads past what is behind it", task.ARM, []line{
		{"6de9024e", entryARM},                        // strd r4, lr, [sp, #-8]!
		{"dfe800f0", "cfa = sp + 8; pc = *(cfa - 4)"}, // tbb [pc, r0]
		{"0404", ""}, // to the fifth halfword
		{"0404", ""},
		{"0024", "cfa = sp + 8; pc = *(cfa - 4)"},                      // movs r4, #0, whose first byte is no entry
		{"9847", "cfa = sp + 8; r4 = *(cfa - 8); pc = *(cfa - 4)"},     // blx r3
		{"fde8024e", "cfa = sp + 8; r4 = *(cfa - 8); pc = *(cfa - 4)"}, // ldrd r4, lr, [sp], #8
		{"7047", entryARM}, // bx lr
	}},
	{"thumb, branches", task.ARM, []line{
		{"58b1", entryARM}, // cbz r0, to the early return
		{"90b5", entryARM}, // push {r4, r7, lr}
		{"01af", "cfa = sp + 12; fp = *(cfa - 8); pc = *(cfa - 4)"},                      // add r7, sp, #4
		{"08bf", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},                       // it eq
		{"0124", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},                       // moveq r4, #1
		{"82b0", "cfa = fp + 8; r4 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"},     // sub sp, #8
		{"9847", "cfa = fp + 8; r4 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"},     // again: blx r3
		{"0328", "cfa = fp + 8; r4 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"},     // cmp r0, #3
		{"fcd0", "cfa = fp + 8; r4 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"},     // beq again
		{"7ff4fbaf", "cfa = fp + 8; r4 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"}, // bne.w again
		{"00f002b8", "cfa = fp + 8; r4 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"}, // b.w to the epilogue
		{"0020", entryARM}, // early return: movs r0, #0
		{"7047", entryARM}, // bx lr
		{"02b0", "cfa = fp + 8; r4 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"}, // add sp, #8
		{"90bd", "cfa = fp + 8; r4 = *(cfa - 12); fp = *(cfa - 8); pc = *(cfa - 4)"}, // pop {r4, r7, pc}
	}},
	{"thumb, what moves sp ends an it block", task.ARM, []line{
		{"10b5", entryARM},                                          // push {r4, lr}
		{"08bf", "cfa = sp + 8; pc = *(cfa - 4)"},                   // it eq
		{"0124", "cfa = sp + 8; pc = *(cfa - 4)"},                   // moveq r4, #1
		{"82b0", "cfa = sp + 8; r4 = *(cfa - 8); pc = *(cfa - 4)"},  // sub sp, #8
		{"9847", "cfa = sp + 16; r4 = *(cfa - 8); pc = *(cfa - 4)"}, // blx r3
		{"02b0", "cfa = sp + 16; r4 = *(cfa - 8); pc = *(cfa - 4)"}, // add sp, #8
		{"10bd", "cfa = sp + 8; r4 = *(cfa - 8); pc = *(cfa - 4)"},  // pop {r4, pc}
	}},
	{"arm, branches and a large frame", task.ARM, []line{
		{"000050e3", entryARM},                                             // cmp r0, #0
		{"0600000a", entryARM},                                             // beq to the early return
		{"10402de9", entryARM},                                             // push {r4, lr}
		{"00c001e3", "cfa = sp + 8; pc = *(cfa - 4)"},                      // movw r12, #4096
		{"01c040e3", "cfa = sp + 8; pc = *(cfa - 4)"},                      // movt r12, #1
		{"0cd04de0", "cfa = sp + 8; pc = *(cfa - 4)"},                      // sub sp, sp, r12
		{"0140a003", "cfa = sp + 69640; pc = *(cfa - 4)"},                  // moveq r4, #1
		{"33ff2fe1", "cfa = sp + 69640; r4 = *(cfa - 8); pc = *(cfa - 4)"}, // blx r3
		{"010000ea", "cfa = sp + 69640; r4 = *(cfa - 8); pc = *(cfa - 4)"}, // b to the epilogue
		{"0100a0e3", entryARM},                                             // early return: mov r0, #1
		{"1eff2fe1", entryARM},                                             // bx lr
		{"00c001e3", "cfa = sp + 69640; r4 = *(cfa - 8); pc = *(cfa - 4)"}, // movw r12, #4096
		{"01c040e3", "cfa = sp + 69640; r4 = *(cfa - 8); pc = *(cfa - 4)"}, // movt r12, #1
		{"0cd08de0", "cfa = sp + 69640; r4 = *(cfa - 8); pc = *(cfa - 4)"}, // add sp, sp, r12
		{"1080bde8", "cfa = sp + 8; r4 = *(cfa - 8); pc = *(cfa - 4)"},     // pop {r4, pc}
	}},
	{"thumb, conditional return without a frame pointer", task.ARM, []line{
		{"10b5", entryARM},                         // push {r4, lr}
		{"82b0", "cfa = sp + 8; pc = *(cfa - 4)"},  // sub sp, #8
		{"04bf", "cfa = sp + 16; pc = *(cfa - 4)"}, // itt eq
		{"02b0", "cfa = sp + 16; pc = *(cfa - 4)"}, // addeq sp, #8
		{"10bd", ""}, // popeq {r4, pc}: sp may have been moved
		{"9847", "cfa = sp + 16; pc = *(cfa - 4)"}, // blx r3
		{"02b0", "cfa = sp + 16; pc = *(cfa - 4)"}, // add sp, #8
		{"10bd", "cfa = sp + 8; pc = *(cfa - 4)"},  // pop {r4, pc}
	}},
	{"arm, conditional return without a frame pointer", task.ARM, []line{
		{"10402de9", entryARM},                         // push {r4, lr}
		{"08d04de2", "cfa = sp + 8; pc = *(cfa - 4)"},  // sub sp, sp, #8
		{"08d08d02", "cfa = sp + 16; pc = *(cfa - 4)"}, // addeq sp, sp, #8
		{"1080bd08", ""},                               // popeq {r4, pc}: sp may have been moved
		{"33ff2fe1", "cfa = sp + 16; pc = *(cfa - 4)"}, // blx r3
		{"08d08de2", "cfa = sp + 16; pc = *(cfa - 4)"}, // add sp, sp, #8
		{"1080bde8", "cfa = sp + 8; pc = *(cfa - 4)"},  // pop {r4, pc}
	}},
	{"arm, frame pointer", task.ARM, []line{
		{"90402de9", entryARM}, // push {r4, r7, lr}
		{"04708de2", "cfa = sp + 12; fp = *(cfa - 8); pc = *(cfa - 4)"}, // add r7, sp, #4
		{"04802de5", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},  // str r8, [sp, #-4]!
		{"028b2ded", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},  // vpush {d8}
		{"10d04de2", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},  // sub sp, sp, #16
		{"010050e3", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},  // cmp r0, #1
		{"10d08d02", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},  // addeq sp, sp, #16
		{"0a00000a", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},  // beq away
		{"33ff2fe1", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},  // blx r3
		{"08d047e2", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},  // sub sp, r7, #8
		{"04809de4", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},  // ldr r8, [sp], #4
		{"9080bde8", "cfa = fp + 8; fp = *(cfa - 8); pc = *(cfa - 4)"},  // pop {r4, r7, pc}
	}},
	{"arm, no frame pointer", task.ARM, []line{
		{"f0416de1", entryARM},                                           // strd r4, r5, [sp, #-16]!: the words above are free
		{"0ce08de5", "cfa = sp + 16; pc = lr"},                           // str lr, [sp, #12]
		{"0000a0e3", "cfa = sp + 16; pc = *(cfa - 4)"},                   // mov r0, #0
		{"0040a0e3", "cfa = sp + 16; pc = *(cfa - 4)"},                   // mov r4, #0
		{"33ff2fe1", "cfa = sp + 16; r4 = *(cfa - 16); pc = *(cfa - 4)"}, // blx r3
		{"0ce09de5", "cfa = sp + 16; r4 = *(cfa - 16); pc = *(cfa - 4)"}, // ldr lr, [sp, #12]
		{"d041cde0", "cfa = sp + 16; r4 = *(cfa - 16); pc = *(cfa - 4)"}, // ldrd r4, r5, [sp], #16
		{"1eff2f01", entryARM},                                           // bxeq lr
		{"0ef0a0e1", entryARM},                                           // mov pc, lr
	}},
}

// Where sp may have been moved, and there is no frame pointer, nothing is told.
func TestMovedOnACondition(t *testing.T) {
	for _, c := range []struct {
		m    *machine
		code string
		pc   uint32
		want string // empty: nothing
	}{
		{&thumb, "10b5 82b0 04bf 02b0 10bd 9847 02b0 10bd", 8, ""},
		{&thumb, "10b5 82b0 04bf 02b0 10bd 9847 02b0 10bd", 10, "cfa = sp + 16; pc = *(cfa - 4)"},
		{&thumb, "10b5 82b0 04bf 02b0 0124 9847 10bd", 10, ""}, // which does not leave: addeq; moveq
		{&arm, "10402de9 08d04de2 08d08d02 1080bd08 33ff2fe1 08d08de2 1080bde8", 12, ""},
		{&arm, "10402de9 08d04de2 08d08d02 1080bd18 33ff2fe1 08d08de2 1080bde8", 16, ""}, // popne
	} {
		var w walk
		w.code, _ = hex.DecodeString(strings.ReplaceAll(c.code, " ", ""))
		r, err := w.rule(c.m, c.pc, false)
		if got := r.Format(task.ARM); err == nil && got != c.want || err != nil && c.want != "" {
			t.Errorf("%s: %s, %v", c.code, got, err)
		}
	}
}

// thumbText is a file that knows of what set its instructions are.
type thumbText struct {
	*text
	thumb, known bool
}

func (f thumbText) Thumb(uint64) (thumb, known bool) { return f.thumb, f.known }

// What the file knows goes before what the code looks like.
func TestThumbTeller(t *testing.T) {
	for _, c := range []struct{ thumb, known, want bool }{{true, true, true}, {false, true, false}, {true, false, false}} {
		code, _ := hex.DecodeString("90402de904708de29080bde8")
		f := thumbText{&text{at: 0x1000, code: code}, c.thumb, c.known}
		w := walk{code: code}
		q := f.query(task.ARM, 0x1000)
		q.Image.File = f
		if got := w.machineOf(&q, 0x1000) == &thumb; got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	w := walk{code: make([]byte, 8)}
	if w.machineOf(&rule.Query{Arch: task.ARM}, 0x1002) != &thumb {
		t.Error("ARM code at half a word")
	}
}

func TestLooksThumb(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want       bool
	}{
		{"arm", "90402de9 04708de2 9080bde8", false},
		{"arm, a condition among others", "90402de9 000050e3 0100a013 9080bde8", false},
		{"arm for vectors", "002048e2 028b2ded 118121f2 510be1ee 60402ee9", false},
		{"thumb", "b0b502af 2de90005 00f001f8 b0bd", true},
		{"thumb for vectors", "00bf02ed 048b02ed 048b02ee 048bb0bd 00bf00bf", true},
		{"none", "", true},
		{"half arm", "90402de9 b0b502af", true},
	} {
		b, _ := hex.DecodeString(strings.ReplaceAll(c.code, " ", ""))
		if got := looksThumb(b); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

func TestTableBranch(t *testing.T) {
	for _, c := range []struct {
		table  string
		halves bool
		want   uint32
	}{
		{"0204ffff", false, 4},            // the first place is behind the table
		{"0302ffff", false, 4},            // the second is nearer
		{"020102", false, 2},              // and ends it
		{"030404ff00", false, 4},          // nothing comes behind the first three
		{"0305", false, 2},                // cut
		{"02000300ffff", true, 4},         //
		{"04000300080009000a00", true, 6}, //
		{"04", true, 0},                   // cut
		{"", false, 0},
	} {
		b, _ := hex.DecodeString(c.table)
		if n := tableBranch(b, c.halves); n != c.want {
			t.Errorf("%s: %d, want %d", c.table, n, c.want)
		}
	}
	if n := tableBranch(bytes.Repeat([]byte{0xff}, 4096), true); n != 1024 {
		t.Errorf("a table without an end: %d", n)
	}
}

func TestThumbExpand(t *testing.T) {
	for v, want := range map[uint32]uint32{
		0x0ab: 0xab, 0x1ab: 0x00ab00ab, 0x2ab: 0xab00ab00, 0x3ab: 0xabababab,
		0x455: 0xd5000000, 0xf55: 0x354, 0xc80: 0x4000, 0x800 | 0x2b: 0x00ab0000,
	} {
		if got := thumbExpand(v); got != want {
			t.Errorf("%#x: %#x, want %#x", v, got, want)
		}
	}
}

// TestThumbVectors: a load or store of vectors moves the register that it reads at
// unless Rm is 15 (ARM ARM v7-A, A7.7: 13 is by what was read, others by a register).
func TestThumbVectors(t *testing.T) {
	for code, want := range map[t32]uint32{
		0xf964_470f: 0,      // vld1.8 {d20}, [r4]
		0xf964_470d: 1 << 4, // vld1.8 {d20}, [r4]!
		0xf964_470e: 1 << 4, // vld1.8 {d20}, [r4], lr
		0xf964_4707: 1 << 4, // vld1.8 {d20}, [r4], r7
		0xf900_070f: 0,      // vst1.8 {d0}, [r0]
		0xf900_070d: 1,      // vst1.8 {d0}, [r0]!
	} {
		if got := code.decode(0, nil).list; got != want {
			t.Errorf("%#x writes %#x, want %#x", uint32(code), got, want)
		}
	}
}
