package analysis

import (
	"fmt"
	"testing"

	"stacksnap/images/code/x86"
)

// motley is a state that knows something else of each register, but nothing of one.
func motley(sp value, lacks, index uint8) state {
	s := amd64.entered()
	kinds := [...]kind{frame, entry, constant, aligned, computed, above, gap}
	for i := range uint8(16) {
		s.reg[i] = value{int32(i) * 8, kinds[int(i)%len(kinds)], i}
	}
	s.reg[rsp], s.reg[lacks] = sp, value{}
	s.slot = [maxKept]int32{-16, -24, 8, 0, -40, 64}
	s.below = [maxKept]int32{16, 0, 8, -8}
	s.home = home{place{8, index, 8}, true, false, -16}
	s.equal = 4
	return s
}

// decode is the instruction at off.
func (m *machine) decode(code []byte, off uint32) (in inst) {
	m.step(m, code, off, nil, &in)
	return in
}

// comparePlain wants an instruction that is plain to do as amd64Effect has it do.
func comparePlain(code []byte) (isPlain bool, err error) {
	in := amd64.decode(code, 0)
	if in.reads == notPlain {
		return false, nil
	}
	p := plain{size: uint8(in.size), nop: in.nop, reads: in.reads, writes: in.writes}
	lacks := p.reads
	if p.reads == always {
		lacks = numRegisters - 1
	}
	for _, sp := range []value{atCFA(-40), {kind: aligned, off: 8}} {
		s := motley(sp, lacks, code[1]&15)
		want := s
		var whole inst
		stepAMD64(&amd64, code, 0, &want, &whole)
		if whole.flow != next || whole.size != in.size || whole.nop != in.nop || whole.equal != 0 || !p.fits(&s) {
			return true, fmt.Errorf("%x: %+v, plain %+v", code[:in.size], whole, p)
		}
		if p.run(&s); s != want {
			return true, fmt.Errorf("%x, plain %+v: %+v, want %+v", code[:in.size], p, s, want)
		}
	}
	return true, nil
}

func TestPlain(t *testing.T) {
	prefixes := [][]byte{{}, {0x48}, {0x49}, {0x4c}, {0x4d}, {0x66}, {0x66, 0x48}, {0xf3}, {0xf3, 0x48}, {0xc5}, {0x62, 0xf2}}
	plains, all := 0, 0
	for _, prefix := range prefixes {
		for op := range 512 {
			for modRM := range 256 {
				code := append([]byte{}, prefix...)
				if op > 255 {
					code = append(code, 0x0f)
				}
				code = append(code, byte(op), byte(modRM), byte(modRM*5), 0x3c, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0)
				is, err := comparePlain(code)
				if err != nil {
					t.Fatal(err)
				}
				if all++; is {
					plains++
				}
			}
		}
	}
	if plains*2 < all {
		t.Errorf("%d of %d are plain", plains, all)
	}
}

// What follows the way of control or of sp is never plain.
func TestNotPlain(t *testing.T) {
	for _, code := range []string{
		"\x55", "\x5d", "\xc3", "\xe8\x00\x01\x00\x00", "\xeb\x00", "\x74\x00", "\x48\x83\xec\x10", "\x48\x89\xec",
		"\xb8\x00\x10\x00\x00", "\x48\xc7\xc0\x00\x10\x00\x00", "\x48\x29\xc4", "\x48\x01\xc8", "\xc9", "\xff\xe0",
		"\x48\x39\xcc", "\x48\x39\xe1", "\x48\x0f\xba\xed\x3c", "\x48\x8d\x04\x0c", "\x0f\x0b",
	} {
		if in := amd64.decode([]byte(code), 0); in.reads != notPlain {
			t.Errorf("%x: reads %d, writes %#x", code, in.reads, in.writes)
		}
	}
	// mov 8(%rbx), %rcx and back are plain as long as rbx is no address of the frame.
	for _, code := range []string{"\x48\x8b\x4b\x08", "\x48\x89\x4b\x08"} {
		s := amd64.entered()
		in := amd64.decode([]byte(code), 0)
		p := plain{reads: in.reads, writes: in.writes}
		if p.reads != 3 || p.fits(&s) {
			t.Errorf("%x: %+v", code, p)
		}
		if s.reg[3] = (value{}); !p.fits(&s) {
			t.Errorf("%x does not fit", code)
		}
	}
	var i x86.Inst
	if i.Decode([]byte("\x8f\xc0"), 0); !movesSP(&i) {
		t.Error("pop with ModRM")
	}
}
