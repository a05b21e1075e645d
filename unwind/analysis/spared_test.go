package analysis

import (
	"encoding/binary"
	"strings"
	"testing"

	"stacksnap/task"
)

// sparing is a function that keeps sp in r11 over a call, as aesni_cbc_encrypt of OpenSSL
// does, and the function called, which is right behind it.
func sparing(callee string) *text {
	code := []byte("\x4c\x8d\x1c\x24" + // lea (rsp), r11
		"\x55\x48\x83\xec\x10" + // push rbp; sub 16, rsp
		"\x48\x83\xe4\xf0" + // and -16, rsp
		"\x48\x89\xcd" + // mov rcx, rbp
		"\xe8\x00\x00\x00\x00" + // call
		"\x49\x8b\x6b\xf8" + // mov -8(r11), rbp
		"\x49\x8d\x23" + // lea (r11), rsp
		"\xc3")
	const behind = 21 // the call
	binary.LittleEndian.PutUint32(code[behind-4:], uint32(len(code)-behind))
	end := 0x1000 + uint64(len(code))
	code = append(code, callee...)
	return &text{at: 0x1000, code: code, starts: []uint64{0x1000, end, 0x1000 + uint64(len(code))}}
}

// TestSpared: what the function called surely leaves alone is known behind a call and
// in it.
func TestSpared(t *testing.T) {
	const held = "cfa = r11 + 8; fp = *(cfa - 16); pc = *(cfa - 8)"
	long := strings.Repeat("\x90", maxSpared)
	for _, c := range []struct {
		what, callee string
		ok           bool
	}{
		{"a loop", "\x48\x83\xc0\x20\x75\xfa\xc3", true},
		{"as long as may be", long[1:] + "\xc3", true},
		{"too long", long + "\xc3", false},
		{"it writes r11", "\x49\x83\xc3\x20\xc3", false},
		{"it pops r11", "\x41\x53\x41\x5b\xc3", false},
		{"it writes r11 on one way", "\x74\x01\xc3\x4d\x31\xdb\xc3", false},
		{"it writes r11 behind a jump", "\xeb\x01\xc3\x4d\x31\xdb\xc3", false},
		{"no way leads to where it does", "\xc3\x4d\x31\xdb\xc3", true},
		{"it calls what spares r11", "\xe8\x01\x00\x00\x00\xc3\x31\xc0\xc3", true},
		{"it calls what does not", "\xe8\x01\x00\x00\x00\xc3\x4d\x31\xdb\xc3", false},
		{"it calls itself", "\xe8\xfb\xff\xff\xff\xc3", true},
		{"it calls by a pointer", "\xff\xd0\xc3", false},
		{"it goes on by a pointer", "\x74\x02\xff\xe0\xc3", false},
		{"it goes on where no code is", "\xe9\x00\x00\x00\x00", false},
		{"it falls out of its end", "\x48\x83\xc0\x20", false},
		{"it traps", "\x0f\x0b", true},
		{"no code", "\x06", false},
	} {
		f := sparing(c.callee)
		for _, pc := range []uint64{0x100d, 0x1015, 0x1014} { // before the call, behind it, and in it
			q := f.query(task.AMD64, task.Addr(pc))
			q.First = pc != 0x1014
			var s Source
			r, err := s.Rule(q)
			if got := err == nil && r.Format(q.Arch) == held; got != c.ok {
				t.Errorf("%s: at %#x: %s, %v", c.what, pc, r.Format(q.Arch), err)
			}
		}
	}
}

// TestSparedAtLast: at some time no more is looked at.
func TestSparedAtLast(t *testing.T) {
	f := sparing("\x31\xc0\xc3")
	var s state
	s.reg[r11], s.reg[rbx], s.reg[r10] = atCFA(0), atCFA(0), entryOf(r10)
	in := inst{flow: call, direct: true, target: int64(f.starts[1] - f.starts[0])}
	w := walk{machine: &amd64, mem: f, start: 0x1000}
	if got := w.spared(&in, &s); got != 1<<r11 {
		t.Errorf("%#x", got)
	}
	w.calleeSteps = maxCalleeSteps - 1
	if got := w.spared(&in, &s); got != 0 {
		t.Errorf("when much was looked at: %#x", got)
	}
}

// TestSparedSP is ff_avg_h264_qpel16_mc11_neon in short: ffmpeg 4.1.5, arm64, 0x1003dc6bc.
func TestSparedSP(t *testing.T) {
	code, starts := assemble(t, task.ARM64, []line{
		{code: "aa1e03ee"}, // mov x14, x30
		{code: "910003eb"}, // mov x11, sp
		{code: "d10403ff"}, // sub sp, sp, #256
		{code: "94000003"}, // bl the part
		{code: "9100017f"}, // mov sp, x11
		{code: "d65f01c0"}, // ret x14
		{code: "f100098c"}, // subs x12, x12, #2
		{code: "54ffffe1"}, // b.ne
		{code: "d65f03c0"}, // ret
	})
	f := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1000 + uint64(len(code))}}
	f.want(t, task.ARM64, starts, map[int]string{
		2: entryARM64, 3: "cfa = sp + 256; pc = lr", 4: "cfa = sp + 256; r14 = lost; pc = r14",
		5: "cfa = sp; r14 = lost; pc = r14", 6: entryARM64, 8: entryARM64,
	})
}
