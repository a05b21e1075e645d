package perfevent

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// model is a ring as the kernel writes it: __perf_output_begin of a ring written
// backwards (kernel/events/ring_buffer.c).
type model struct {
	data ring
	head uint64
}

func (m *model) write(record []byte) {
	m.head -= uint64(len(record))
	for i, b := range record {
		m.data[(m.head+uint64(i))%uint64(len(m.data))] = b
	}
}

// record is one of so many bytes, which are all the same.
func record(kind uint32, size int, fill byte) []byte {
	b := bytes.Repeat([]byte{fill}, size)
	binary.LittleEndian.PutUint32(b, kind)
	binary.LittleEndian.PutUint16(b[4:], 0)
	binary.LittleEndian.PutUint16(b[6:], uint16(size))
	return b
}

const throttle = 5 // PERF_RECORD_THROTTLE

// TestNewest: of any number of records the last sample is found, over the end of the
// ring and behind records of something else.
func TestNewest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := model{data: make(ring, 4096)}
	to := make([]byte, 1024)
	if got, _ := m.data.newest(m.head, to); got != nil {
		t.Fatalf("%d bytes of an empty ring", len(got))
	}
	for i := range 5000 {
		want := record(recordSample, 8*(1+rng.IntN(len(to)/8)), byte(i))
		m.write(want)
		others := rng.IntN(3)
		for range others {
			m.write(record(throttle+rng.Uint32N(2), 32, 0xaa))
		}
		got, end := m.data.newest(m.head, to)
		if !bytes.Equal(got, want) || end != len(want)+32*others {
			t.Fatalf("record %d of %d bytes: %d, to %d", i, len(want), len(got), end)
		}
	}
}

func TestDamagedRing(t *testing.T) {
	to := make([]byte, 1024)
	for name, r := range map[string][]byte{
		"size 0":         record(recordSample, 64, 0),
		"odd size":       record(recordSample, 64, 0),
		"larger than to": record(recordSample, 1032, 0),
	} {
		m := model{data: make(ring, 4096)}
		m.write(r)
		at := (m.head + 6) % uint64(len(m.data))
		switch name {
		case "size 0":
			m.data[at] = 0
		case "odd size":
			m.data[at] = 63
		}
		if got, _ := m.data.newest(m.head, to); got != nil {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
	m := model{data: make(ring, 4096)}
	for range 9 {
		m.write(record(throttle, 32, 0))
	}
	if got, _ := m.data.newest(m.head, to); got != nil {
		t.Errorf("%d bytes where there is no sample", len(got))
	}
}

// TestStood: a copy counts only if no record that was written since, or is being
// written, can have met it.
func TestStood(t *testing.T) {
	const size, largest = 4096, 1024
	r := make(ring, size)
	const head = uint64(1 << 40)
	for _, test := range []struct {
		written uint64
		end     int
		want    bool
	}{
		{0, largest, true},
		{2 * largest, largest, true},
		{2*largest + 8, largest, false},
		{2*largest + 8, largest - 8, true},
		{size, 8, false},
		{1 << 50, largest, false},
	} {
		if got := r.intact(head, head-test.written, test.end); got != test.want {
			t.Errorf("after %d bytes: %v", test.written, got)
		}
	}
	if first := uint64(0); !r.intact(first, first-64, largest) || r.intact(first, first-size, largest) {
		t.Error("not below 0")
	}
}

// TestRingFor: a ring has room for four records of the largest kind, by a size that the
// kernel takes: a power of two.
func TestRingFor(t *testing.T) {
	for _, test := range []struct{ stack, want int }{{FirstStack, 64 << 10}, {MaxStack, 256 << 10}, {FirstStack + 8, 128 << 10}, {8, 8 << 10}} {
		if got := ringFor(test.stack); got != test.want {
			t.Errorf("%d for %d", got, test.stack)
		}
	}
	if MaxStack%8 != 0 || FirstStack%8 != 0 {
		t.Error("sample_stack_user is a multiple of 8")
	}
}

func FuzzRing(f *testing.F) {
	f.Add(uint64(1)<<63, record(recordSample, 64, 1))
	f.Fuzz(func(t *testing.T, head uint64, b []byte) {
		r := make(ring, 256)
		copy(r, b)
		to := make([]byte, 128)
		if got, end := r.newest(head, to); len(got) > len(to) || end > len(r) {
			t.Errorf("%d bytes, to %d", len(got), end)
		}
	})
}
