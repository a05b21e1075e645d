package perfevent

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"stacksnap/task"
)

// written is a record as perf_event_open(2) describes it, of values that tell where
// they stand: the n-th register is 0x100 + n, all others of its upper half 0xff.
func written(host task.Arch, abi uint64, stack []byte, used uint64) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, recordSample)
	b = le.AppendUint16(b, 2) // misc: user
	b = le.AppendUint16(b, 0) // size, below
	b = le.AppendUint32(b, 11)
	b = le.AppendUint32(b, 12)
	b = le.AppendUint64(b, 13)
	b = le.AppendUint32(b, 14)
	b = le.AppendUint32(b, 0xffffffff)
	b = le.AppendUint64(b, abi)
	n := 0
	for bit := range 64 {
		if abi != 0 && mask(host)&(1<<bit) != 0 {
			v := uint64(0x100 + n)
			if abi == abi32 {
				v |= 0xffffffff_00000000
			}
			b = le.AppendUint64(b, v)
			n++
		}
	}
	b = le.AppendUint64(b, uint64(len(stack)))
	if b = append(b, stack...); len(stack) > 0 {
		b = le.AppendUint64(b, used)
	}
	le.PutUint16(b[6:], uint16(len(b)))
	return b
}

func TestRecord(t *testing.T) {
	stack := []byte("0123456789abcdef")
	for _, test := range []struct {
		host     task.Arch
		abi      uint64
		arch     task.Arch
		reg      task.Reg // of all, one that is elsewhere in DWARF
		value    uint64
		sp, pc   task.Addr
		n        int // registers known
		used     uint64
		wantCut  bool
		wantText string
	}{
		{task.AMD64, abi64, task.AMD64, 1, 0x103, 0x107, 0x108, 17, 16, true, "0123456789abcdef"},
		{task.AMD64, abi64, task.AMD64, 15, 0x110, 0x107, 0x108, 17, 9, false, "012345678"},
		{task.AMD64, abi32, task.I386, 3, 0x101, 0x107, 0x108, 9, 16, true, "0123456789abcdef"},
		{task.ARM64, abi64, task.ARM64, 30, 0x11e, 0x11f, 0x120, 33, 0, false, ""},
		{task.ARM64, abi32, task.ARM, 14, 0x10e, 0x10d, 0x10f, 16, 1, false, "0"},
	} {
		var s Sample
		if err := parse(form{host: test.host}, written(test.host, test.abi, stack, test.used), &s); err != nil {
			t.Fatal(err)
		}
		if s.PID != 11 || s.TID != 12 || s.Time != 13 || s.Processor != 14 {
			t.Errorf("%+v", s)
		}
		r := &s.Registers
		known := 0
		for reg := range task.Reg(task.MaxRegisters) {
			if _, ok := r.Value(reg); ok {
				known++
			}
		}
		if v, _ := r.Value(test.reg); r.Arch != test.arch || v != test.value || r.SP() != test.sp || r.PC() != test.pc || known != test.n {
			t.Errorf("%v: register %d is %#x, sp %v, pc %v, %d known", r.Arch, test.reg, v, r.SP(), r.PC(), known)
		}
		if string(s.Stack) != test.wantText || s.Cut != test.wantCut {
			t.Errorf("%v: stack %q, cut %v", r.Arch, s.Stack, s.Cut)
		}
	}
}

func TestRecordWithoutStack(t *testing.T) {
	var s Sample
	if err := parse(form{host: task.AMD64}, written(task.AMD64, abi64, nil, 0), &s); err != nil || s.Stack != nil || s.Cut || s.Registers.PC() != 0x108 {
		t.Errorf("%v, %+v", err, s)
	}
	if err := parse(form{host: task.AMD64}, written(task.AMD64, 0, nil, 0), &s); !errors.Is(err, errRegisters) {
		t.Errorf("of a thread without user code: %v", err)
	}
}

// A record is read as a whole or not at all.
func TestDamagedRecord(t *testing.T) {
	whole := written(task.AMD64, abi64, make([]byte, 24), 24)
	var s Sample
	for n := range whole {
		if parse(form{host: task.AMD64}, whole[:n], &s) == nil {
			t.Errorf("%d bytes of %d are read", n, len(whole))
		}
		short := bytes.Clone(whole[:n])
		if n >= headerSize {
			binary.LittleEndian.PutUint16(short[6:], uint16(n))
			if parse(form{host: task.AMD64}, short, &s) == nil {
				t.Errorf("a record of %d bytes, of which %d are missing, is read", n, len(whole)-n)
			}
		}
	}
	for _, used := range []uint64{25, 1 << 63} {
		if parse(form{host: task.AMD64}, written(task.AMD64, abi64, make([]byte, 24), used), &s) == nil {
			t.Errorf("%d bytes of a copy of 24 are used", used)
		}
	}
	other := bytes.Clone(whole)
	other[0] = 5 // PERF_RECORD_THROTTLE
	if parse(form{host: task.AMD64}, other, &s) == nil {
		t.Error("a record of something else is read")
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(uint8(task.AMD64), written(task.AMD64, abi64, make([]byte, 64), 40))
	f.Add(uint8(task.AMD64), written(task.AMD64, abi32, make([]byte, 8), 8))
	f.Add(uint8(task.ARM64), written(task.ARM64, abi32, nil, 0))
	f.Add(uint8(task.AMD64), withChain(written(task.AMD64, abi64, nil, 0), perfContextKernel, 1))
	f.Fuzz(func(t *testing.T, host uint8, b []byte) {
		for _, chains := range []bool{false, true} {
			var s Sample
			if parse(form{task.Arch(host), chains}, b, &s) == nil && (len(s.Stack)+len(s.Kernel) > len(b) || s.Registers.Known == 0) {
				t.Errorf("%d bytes of stack and %d of a chain from %d, registers %b", len(s.Stack), len(s.Kernel), len(b), s.Registers.Known)
			}
			for range s.KernelAddrs() {
			}
		}
	})
}
