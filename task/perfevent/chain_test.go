package perfevent

import (
	"encoding/binary"
	"slices"
	"testing"

	"stacksnap/task"
)

// withChain is a record with the words of a call chain, which stand before the registers.
func withChain(record []byte, words ...uint64) []byte {
	const before = headerSize + 24 // pid, tid, time, processor
	le := binary.LittleEndian
	b := le.AppendUint64(slices.Clone(record[:before]), uint64(len(words)))
	for _, w := range words {
		b = le.AppendUint64(b, w)
	}
	b = append(b, record[before:]...)
	le.PutUint16(b[6:], uint16(len(b)))
	return b
}

// The values of include/uapi/linux/perf_event.h.
const (
	perfContextKernel = 0xffffffff_ffffff80 // (__u64)-128
	perfContextUser   = 0xffffffff_fffffe00 // (__u64)-512
)

// TestChain: of a call chain the kernel's part is told, and what stands behind it is read
// as ever.
func TestChain(t *testing.T) {
	plain := written(task.AMD64, abi64, []byte("12345678"), 8)
	for _, test := range []struct{ words, want []uint64 }{
		{nil, nil},
		{[]uint64{perfContextKernel, 0xffffffff81000010, 0xffffffff81000020}, []uint64{0xffffffff81000010, 0xffffffff81000020}},
		{[]uint64{perfContextUser, 0x401000}, nil},
		{[]uint64{0x1}, nil}, // of nobody
		{[]uint64{perfContextKernel, 1, perfContextUser, 2, perfContextKernel, 3}, []uint64{1, 3}},
		{[]uint64{perfContextKernel, contextMax - 1, contextMax, 4}, []uint64{contextMax - 1}},
	} {
		var s Sample
		if err := parse(form{task.AMD64, true}, withChain(plain, test.words...), &s); err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for i, a := range s.KernelAddrs() {
			if i != len(got) {
				t.Errorf("%x: number %d", test.words, i)
			}
			got = append(got, a)
		}
		if !slices.Equal(got, test.want) || string(s.Stack) != "12345678" || s.Registers.PC() != 0x108 || s.TID != 12 {
			t.Errorf("%x: %x, stack %q, pc %v", test.words, got, s.Stack, s.Registers.PC())
		}
	}
}

// TestLongestRecord: with all that can be asked for a record is no longer than there is
// room for: a chain has at most eight words that are no addresses
// (perf_event_max_contexts_per_stack).
func TestLongestRecord(t *testing.T) {
	const contexts = 8
	for _, host := range []task.Arch{task.AMD64, task.ARM64} {
		b := withChain(written(host, abi64, make([]byte, MaxStack), MaxStack), make([]uint64, MaxChain+contexts)...)
		if len(b) > MaxStack+besideStack || len(b) >= 64<<10 {
			t.Errorf("%v: %d bytes", host, len(b))
		}
	}
}

// TestDamagedChain: one that is longer than its record is none.
func TestDamagedChain(t *testing.T) {
	whole := withChain(written(task.AMD64, abi64, nil, 0), perfContextKernel, 1)
	for _, n := range []uint64{uint64(len(whole)), 1 << 61, ^uint64(0)} {
		b := slices.Clone(whole)
		binary.LittleEndian.PutUint64(b[headerSize+24:], n)
		var s Sample
		if parse(form{task.AMD64, true}, b, &s) == nil {
			t.Errorf("%d words are read", n)
		}
	}
	none := withChain(written(task.AMD64, abi64, nil, 0))
	none[headerSize+24+7] = 0x20 // 1<<61: as many bytes as 0 if that is not looked at
	if parse(form{task.AMD64, true}, none, new(Sample)) == nil {
		t.Error("more words than there are bytes are read")
	}
}
