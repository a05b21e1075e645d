package ptrace

import (
	"encoding/binary"
	"testing"

	"stacksnap/task"
)

// words makes a register set whose word i is base+i.
func words(size, n int, base uint64) []byte {
	b := make([]byte, size*n)
	for i := range n {
		if size == 4 {
			binary.LittleEndian.PutUint32(b[4*i:], uint32(base)+uint32(i))
		} else {
			binary.LittleEndian.PutUint64(b[8*i:], base+uint64(i))
		}
	}
	return b
}

// The positions are those of the kernel's headers, by DWARF number.
func TestDecodeRegisters(t *testing.T) {
	const base = 0xa0000000
	identity := func(n int) map[task.Reg]uint64 {
		m := map[task.Reg]uint64{}
		for i := range n {
			m[task.Reg(i)] = uint64(i)
		}
		return m
	}
	for _, c := range []struct {
		name    string
		host    task.Arch
		size, n int
		arch    task.Arch
		want    map[task.Reg]uint64
	}{
		{"amd64", task.AMD64, 8, 27, task.AMD64, map[task.Reg]uint64{
			0: 10, 1: 12, 2: 11, 3: 5, 4: 13, 5: 14, 6: 4, 7: 19, 8: 9, 9: 8, 10: 7, 11: 6, 12: 3, 13: 2, 14: 1, 15: 0, 16: 16,
		}},
		{"i386", task.AMD64, 4, 17, task.I386, map[task.Reg]uint64{0: 6, 1: 1, 2: 2, 3: 0, 4: 15, 5: 5, 6: 3, 7: 4, 8: 12}},
		{"arm64", task.ARM64, 8, 34, task.ARM64, identity(33)},
		{"arm", task.ARM64, 4, 18, task.ARM, identity(16)},
	} {
		var r task.Registers
		if err := decodeRegisters(c.host, words(c.size, c.n, base), &r); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Arch != c.arch || len(c.want) != c.arch.NumRegisters() {
			t.Errorf("%s: %v with %d registers", c.name, r.Arch, len(c.want))
		}
		for reg, at := range c.want {
			if v, ok := r.Value(reg); !ok || v != base+at {
				t.Errorf("%s: register %d is %#x, want word %d", c.name, reg, v, at)
			}
		}
	}
}

// TestEndedCall: a thread has come from a call where the kernel names one, and will not make it
// again.
func TestEndedCall(t *testing.T) {
	const interrupted, badFile = ^uint64(512 - 1), ^uint64(9 - 1) // −ERESTARTSYS, −EBADF
	for _, c := range []struct {
		number, result uint64
		ended          bool
	}{{74, 0, true}, {74, badFile, true}, {74, interrupted, false}, {^uint64(0), 0, false}} {
		b := words(8, 27, 0xa0000000)
		binary.LittleEndian.PutUint64(b[8*origRAX:], c.number)
		binary.LittleEndian.PutUint64(b[8*10:], c.result)
		var r task.Registers
		if err := decodeRegisters(task.AMD64, b, &r); err != nil {
			t.Fatal(err)
		}
		var want int32
		if c.ended {
			want = 74
		}
		if got, ended := endedCall(b, &r); got != want || ended != c.ended {
			t.Errorf("%+v: %d, %t, want %d", c, got, ended, want)
		}
	}
	arm := task.Registers{Arch: task.ARM64}
	if got, ended := endedCall(words(8, 34, 0), &arm); ended {
		t.Errorf("on ARM: %d", got)
	}
}

func TestDecodeRegistersRefusesOtherLengths(t *testing.T) {
	for _, host := range []task.Arch{task.AMD64, task.ARM64} {
		for n := range maxRegset {
			var r task.Registers
			err := decodeRegisters(host, make([]byte, n), &r)
			known := host == task.AMD64 && (n == 216 || n == 68) || host == task.ARM64 && (n == 272 || n == 72)
			if (err == nil) != known {
				t.Errorf("host %v, %d bytes: %v", host, n, err)
			}
		}
	}
}

func TestARM64CodeMask(t *testing.T) {
	for insn, want := range map[uint64]uint64{
		0:                          1<<48 - 1,
		(1<<55 - 1) &^ (1<<48 - 1): 1<<48 - 1,
		(1<<55 - 1) &^ (1<<52 - 1): 1<<52 - 1,
		(1<<55 - 1) &^ (1<<39 - 1): 1<<39 - 1,
	} {
		if got := arm64CodeMask(insn); got != want {
			t.Errorf("insn_mask %#x gives %#x, want %#x", insn, got, want)
		}
	}
}
