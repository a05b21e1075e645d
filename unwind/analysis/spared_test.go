package analysis

import (
	"bytes"
	"encoding/binary"
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
	long := string(bytes.Repeat([]byte{0x90}, maxSpared))
	for _, c := range []struct {
		what, callee string
		ok           bool
	}{
		{"a loop", "\x48\x83\xc0\x20\x75\xfa\xc3", true},
		{"filling behind it", "\x48\x83\xc0\x20\xc3\x90\x0f\x1f\x00", true},
		{"as long as may be", long[1:] + "\xc3", true},
		{"too long", long + "\xc3", false},
		{"it writes r11", "\x49\x83\xc3\x20\xc3", false},
		{"it pops r11", "\x41\x53\x41\x5b\xc3", false},
		{"it calls", "\xe8\x00\x00\x00\x00\xc3", false},
		{"it calls by a pointer", "\xff\xd0\xc3", false},
		{"it goes on by a pointer", "\x74\x02\xff\xe0\xc3", false},
		{"it goes on elsewhere", "\xe9\x00\x00\x00\x00", false},
		{"it goes back to its caller's code", "\x75\xf0\xc3", false},
		{"it falls out of its end", "\x48\x83\xc0\x20", false},
		{"it falls out of its end behind a return", "\xc3\x48\x83\xc0\x20", false},
		{"no code", "\xc3\x06", false},
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

// TestSparedByItsStart: what is called in the midst of a function is not that function.
func TestSparedByItsStart(t *testing.T) {
	f := sparing("\x41\x53\x31\xc0\xc3") // push r11; xor eax, eax; ret
	f.code = append(f.code, 0x90, 0x90)
	f.code[17] += 2
	var s Source
	if r, err := s.Rule(f.query(task.AMD64, 0x1015)); err == nil {
		t.Error(r.Format(task.AMD64))
	}
}

// TestSparedOf64Bits: of i386 nothing is spared, and at some time no more is looked at.
func TestSparedOf64Bits(t *testing.T) {
	f := sparing("\x31\xc0\xc3")
	var s state
	s.reg[r11] = atCFA(0)
	in := inst{flow: call, direct: true, target: int64(f.starts[1] - f.starts[0])}
	w := walk{machine: &amd64, mem: f, start: 0x1000, query: f.query(task.AMD64, 0x1000)}
	if got := w.spared(&in, &s); got != 1<<r11 {
		t.Errorf("%#x", got)
	}
	w.asides = maxAside - 1
	if got := w.spared(&in, &s); got != 0 {
		t.Errorf("when much was looked at: %#x", got)
	}
	w.machine, w.asides = &i386, 0
	if got := w.spared(&in, &s); got != 0 {
		t.Errorf("of i386: %#x", got)
	}
}
