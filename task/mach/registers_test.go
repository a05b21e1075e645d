package mach

import (
	"encoding/binary"
	"testing"

	"stacksnap/task"
)

// The byte offsets of fields in the structures as clang lays them out for
// macOS (osfmk/mach/i386/_structs.h, osfmk/mach/arm/_structs.h).
func TestRegistersAreWhereTheHeadersPutThem(t *testing.T) {
	tests := []struct {
		arch   task.Arch
		size   int
		width  int
		fields map[int]task.Reg // offset to DWARF number
	}{
		{task.AMD64, 168, 8, map[int]task.Reg{0: 0, 8: 3, 16: 2, 24: 1, 32: 5, 40: 4, 48: 6, 56: 7, 64: 8, 72: 9, 80: 10, 88: 11, 96: 12, 104: 13, 112: 14, 120: 15, 128: 16}},
		{task.ARM64, 272, 8, map[int]task.Reg{0: 0, 8: 1, 224: 28, 232: 29, 240: 30, 248: 31, 256: 32}},
		{task.I386, 64, 4, map[int]task.Reg{0: 0, 4: 3, 8: 1, 12: 2, 16: 7, 20: 6, 24: 5, 28: 4, 40: 8}},
	}
	for _, test := range tests {
		l := stateLayout(test.arch)
		if l.words*4 != test.size {
			t.Errorf("%v: %d words", test.arch, l.words)
		}
		for off, reg := range test.fields {
			b := make([]byte, test.size)
			if test.width == 8 {
				binary.LittleEndian.PutUint64(b[off:], 0x1122334455667788)
			} else {
				binary.LittleEndian.PutUint32(b[off:], 0x55667788)
			}
			regs := task.Registers{Arch: test.arch}
			l.decode(wordsOf(b), ^uint64(0), &regs)
			want := uint64(0x1122334455667788)
			if test.width == 4 {
				want = 0x55667788
			}
			for r := range task.Reg(test.arch.NumRegisters()) {
				v, known := regs.Value(r)
				if !known || (v == want) != (r == reg) {
					t.Errorf("%v: offset %d: register %d is %#x (known %v)", test.arch, off, r, v, known)
				}
			}
		}
	}
}

func wordsOf(b []byte) []uint32 {
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w
}

func TestSignedPointersAreStripped(t *testing.T) {
	w := stateWords(task.ARM64, 0x0012_7fff_8000_1000, 0x0034_0001_6fdf_f000)
	w[2*30], w[2*30+1] = 0x80002000, 0x00567fff // lr
	w[0], w[1] = 0x9abcdef0, 0x12345678         // x0 is data
	regs := task.Registers{Arch: task.ARM64}
	stateLayout(task.ARM64).decode(w, 1<<47-1, &regs)
	if regs.PC() != 0x7fff_8000_1000 || regs.SP() != 0x1_6fdf_f000 || regs.LR() != 0x7fff_8000_2000 || regs.FP() != 0x1_6fdf_f040 || regs.R[0] != 0x12345678_9abcdef0 {
		t.Errorf("pc %v sp %v lr %v fp %v x0 %#x", regs.PC(), regs.SP(), regs.LR(), regs.FP(), regs.R[0])
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{}, uint8(task.AMD64))
	f.Add(make([]byte, 168), uint8(task.AMD64))
	f.Add(make([]byte, 272), uint8(task.ARM64))
	f.Add(make([]byte, 63), uint8(task.I386))
	f.Fuzz(func(t *testing.T, b []byte, arch uint8) {
		l := stateLayout(task.Arch(arch))
		if l == nil {
			return
		}
		regs := task.Registers{Arch: task.Arch(arch)}
		l.decode(wordsOf(b), 1<<47-1, &regs)
		if len(b) == 0 && regs.Known != 0 {
			t.Error("registers out of nothing")
		}
	})
}
