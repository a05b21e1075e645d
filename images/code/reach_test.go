package code

import (
	"encoding/binary"
	"io"
	"testing"

	"stacksnap/task"
)

const base = 0x1008

// reader reads code that starts at base.
func reader(code []byte) Reader {
	return func(p []byte, vmaddr uint64) (int, error) {
		if vmaddr < base || vmaddr >= base+uint64(len(code)) {
			return 0, io.ErrUnexpectedEOF
		}
		return copy(p, code[vmaddr-base:]), nil
	}
}

func TestReachesAMD64(t *testing.T) {
	code := []byte{
		0: 0x85, 0xc0, // test %eax, %eax
		2: 0x74, 0x04, // je 8
		4: 0xeb, 0x06, // jmp 12
		6: 0x90, 0xc3, // nobody comes here
		8: 0xff, 0xd0, // call *%rax; aligned behind it no more
		10: 0x31, 0xc0, // xor %eax, %eax
		12: 0xff, 0xc8, // dec %eax
		14: 0x75, 0xfc, // jne 12
		16: 0xeb, 0x06, // jmp 24: an aligned place ahead
		18: 0xc3,
		24: 0xc3,
		25: 0xff, 0xd0, // another function
	}
	for at, want := range map[uint64]bool{
		0: true, 1: true, 4: true, 6: false, 8: true, 10: true, 12: true, 14: true, 17: true,
		18: false, 24: false, 25: false, 4096: false, maxReach + 1: false,
	} {
		if got := Reaches(task.AMD64, reader(code), base, base+at); got != want {
			t.Errorf("%d: %v", at, got)
		}
	}
	if Reaches(task.AMD64, reader(code), base, base-1) || Reaches(task.I386, reader(code), base, base+1) {
		t.Error("before the start, or in code that is not decoded")
	}
	if !Reaches(task.I386, reader(code), base, base) {
		t.Error("the start itself")
	}
}

// A call that ends at an aligned place, or has filling behind it, may be the last
// of its function.
func TestReachesNotBehindTheLastCall(t *testing.T) {
	aligned := []byte{0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0, 0x31, 0xc0, 0xc3}
	filled := []byte{0xff, 0xd0, 0x0f, 0x1f, 0x40, 0, 0x31, 0xc0, 0xc3}
	if Reaches(task.AMD64, reader(aligned), base, base+8) || !Reaches(task.AMD64, reader(aligned), base, base+7) {
		t.Error("aligned")
	}
	if Reaches(task.AMD64, reader(filled), base, base+6) || !Reaches(task.AMD64, reader(filled), base, base+1) {
		t.Error("filled")
	}
}

func TestReachesARM64(t *testing.T) {
	var code []byte
	for _, ins := range []uint32{
		0:  0x340000c0, // cbz w0, 6
		1:  0x14000003, // b 4
		2:  0xd65f03c0, // ret
		3:  0xd503201f,
		4:  0x54ffff81, // b.ne 0
		5:  0xd61f0000, // br x0
		6:  0x94000100, // bl
		7:  0x36000060, // tbz w0, 0, 10
		8:  0xd63f0000, // blr x0
		9:  0xd4200020, // brk
		10: 0x17fffff8, // b 2
		11: 0xd65f03c0,
	} {
		code = binary.LittleEndian.AppendUint32(code, ins)
	}
	for at, want := range []bool{true, true, true, false, true, true, true, true, true, true, true, false} {
		if got := Reaches(task.ARM64, reader(code), base, base+4*uint64(at)); got != want {
			t.Errorf("%d: %v", at, got)
		}
	}
}

func FuzzReaches(f *testing.F) {
	f.Add([]byte{0x74, 0x04, 0xeb, 0x06, 0x90, 0xc3}, uint16(4))
	f.Fuzz(func(t *testing.T, code []byte, at uint16) {
		for _, a := range []task.Arch{task.AMD64, task.ARM64} {
			Reaches(a, reader(code), base, base+uint64(at))
		}
	})
}
