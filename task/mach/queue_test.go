package mach

import (
	"encoding/binary"
	"errors"
	"testing"

	"stacksnap/task"
)

// queueOfFirst describes thread 1, whose queue slot is at testQueues.
func queueOfFirst(t *testing.T, s *scripted, script func(*Process)) queueName {
	t.Helper()
	p := mustOpen(t, s)
	defer mustClose(t, p)
	if _, err := p.Threads(); err != nil {
		t.Fatal(err)
	}
	if script != nil {
		script(p)
	}
	th := task.Thread{Queue: "before", QueueSerial: 99}
	if err := p.Describe(1000, &th); err != nil {
		t.Fatal(err)
	}
	return queueName{label: th.Queue, serial: th.QueueSerial}
}

func label(t *testing.T, s *scripted, script func(*Process)) string {
	t.Helper()
	return queueOfFirst(t, s, script).label
}

// offsetBytes are the fields of a dispatch_queue_offsets from the first on.
func offsetBytes(fields ...uint16) []byte {
	b := make([]byte, 22)
	for i, f := range fields {
		binary.LittleEndian.PutUint16(b[2*i:], f)
	}
	return b
}

func TestQueueLabels(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	if got := label(t, s, nil); got != "com.apple.main-thread" {
		t.Errorf("by our own library's offsets: %q", got)
	}
	s.ownQueues = queueOffsets{}
	if got := label(t, s, nil); got != "" {
		t.Errorf("without offsets: %q", got)
	}
	offsets := s.addRegion(testAllInfo, 64, task.Read, 0, false)
	copy(offsets.bytes, offsetBytes(4, 0x48, 8, 1, 2, 3, 4))
	set := func(p *Process) {
		if err := p.SetQueueOffsets(testAllInfo); err != nil {
			t.Error(err)
		}
	}
	if got := label(t, s, set); got != "com.apple.main-thread" {
		t.Errorf("by the target's offsets: %q", got)
	}
	// Before version 4 the label stood in the queue itself.
	copy(s.at(testQueues).bytes[0x100+0x48:], "inline\x00\x00\x00")
	copy(offsets.bytes, offsetBytes(3, 0x48, 64))
	if got := label(t, s, set); got != "inline" {
		t.Errorf("of version 3: %q", got)
	}
}

func TestQueueSerials(t *testing.T) {
	for name, c := range map[string]struct {
		fields []uint16
		want   uint64
	}{
		"as published":       {[]uint16{6, 0x48, 8, 0, 0, 0x40, 8}, testSerial},
		"the oldest known":   {[]uint16{3, 0x48, 64, 0, 0, 0x40, 8}, testSerial},
		"older":              {[]uint16{2, 0x48, 64, 0, 0, 0x40, 8}, 0},
		"not told":           {[]uint16{6, 0x48, 8}, 0},
		"at nothing":         {[]uint16{6, 0x48, 8, 0, 0, 0, 8}, 0},
		"half a word":        {[]uint16{6, 0x48, 8, 0, 0, 0x40, 4}, 0},
		"more than a word":   {[]uint16{6, 0x48, 8, 0, 0, 0x40, 16}, 0},
		"astray":             {[]uint16{6, 0x48, 8, 0, 0, 0x44, 8}, 0},
		"far from the label": {[]uint16{6, 0x48, 8, 0, 0, 0x90, 8}, 0},
	} {
		for _, host := range []task.Arch{task.AMD64, task.ARM64} {
			s := newScripted(host, 1)
			if c.fields[0] < pointerLabels {
				copy(s.at(testQueues).bytes[0x100+0x48:], "com.apple.main-thread\x00")
			}
			copy(s.addRegion(testAllInfo, 64, task.Read, 0, false).bytes, offsetBytes(c.fields...))
			got := queueOfFirst(t, s, func(p *Process) {
				if err := p.SetQueueOffsets(testAllInfo); err != nil {
					t.Error(err)
				}
			})
			if got.label != "com.apple.main-thread" || got.serial != c.want {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
	s := newScripted(task.AMD64, 1)
	if got := queueOfFirst(t, s, nil); got != (queueName{"com.apple.main-thread", testSerial}) {
		t.Errorf("by our own library's offsets: %+v", got)
	}
	// Behind the label, as far as may be, and the last words of a mapping.
	s.ownQueues.serial = 0x88
	m := s.at(testQueues).bytes
	copy(m[testPage-0x90:], m[0x100:0x150])
	binary.LittleEndian.PutUint64(m[testPage-8:], 3)
	for slot, want := range map[int]queueName{0x90: {"com.apple.main-thread", 3}, 0x8f: {}} {
		binary.LittleEndian.PutUint64(m, uint64(testQueues+testPage)-uint64(slot))
		if got := queueOfFirst(t, s, nil); got != want {
			t.Errorf("%#x before the end of its mapping: %+v", slot, got)
		}
	}
}

func TestQueueOffsetsThatCannotBe(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	offsets := s.addRegion(testAllInfo, 64, task.Read, 0, false)
	p := mustOpen(t, s)
	defer mustClose(t, p)
	for _, b := range [][]uint16{{0, 0x48, 8}, {4, 0, 8}, {4, 0x48, 0}, {4, 0x1000, 8}, {4, 1, 0x800}} {
		copy(offsets.bytes, offsetBytes(b...))
		if err := p.SetQueueOffsets(testAllInfo); err == nil {
			t.Errorf("% x accepted", offsetBytes(b...))
		}
	}
	var fault *task.FaultError
	if err := p.SetQueueOffsets(8); !errors.As(err, &fault) {
		t.Error(err)
	}
}

// Whatever stands where the queue should be, a label is text or nothing.
func FuzzQueueLabel(f *testing.F) {
	f.Add([]byte("com.apple.main-thread\x00"), uint16(4))
	f.Add([]byte{0xff, 0xfe, 0}, uint16(4))
	f.Add([]byte("\x1b[31m\x00"), uint16(3))
	f.Fuzz(func(t *testing.T, b []byte, version uint16) {
		s := newScripted(task.AMD64, 1)
		s.ownQueues = queueOffsets{version: version, label: 0x48, labelSize: 64}
		m := s.at(testQueues).bytes
		copy(m[0x200:], b)
		if got := label(t, s, nil); printable(got) != got {
			t.Errorf("%q", got)
		}
	})
}

// TestAQueueThatIsFreedMeanwhile gives no label and no number, whenever that is,
// and never some of what came in its place, be it a queue of the same label.
func TestAQueueThatIsFreedMeanwhile(t *testing.T) {
	own := queueName{"com.apple.main-thread", testSerial}
	// The reads: the queue's address, its label's with the number, the label; the
	// last two again, and the first.
	for how, c := range map[string]struct {
		exchange      func(m []byte)
		becomes       queueName
		first, second int // reads of what changes
	}{
		"the thread leaves it":  {func(m []byte) { clear(m[:8]) }, queueName{}, 1, 6},
		"its label is another":  {func(m []byte) { m[0x100+0x48+1] = 0x03; copy(m[0x300:], "garbage\x00") }, queueName{"garbage", testSerial}, 2, 4},
		"its text is another":   {func(m []byte) { copy(m[0x200:], "someone else's\x00") }, queueName{"someone else's", testSerial}, 3, 5},
		"its number is another": {func(m []byte) { m[0x100+0x40]++ }, queueName{own.label, testSerial + 1}, 2, 4},
	} {
		for read := 1; read <= 6; read++ {
			s := newScripted(task.AMD64, 1)
			n := 0
			got := queueOfFirst(t, s, func(*Process) {
				s.before = func(_ int, call string) {
					if call != "mach_vm_read_overwrite" {
						return
					}
					if n++; n == read {
						c.exchange(s.at(testQueues).bytes)
					}
				}
			})
			want := queueName{}
			if read <= c.first {
				want = c.becomes
			} else if read > c.second {
				want = own
			}
			if got != want {
				t.Errorf("%s before read %d of %d: %+v", how, read, n, got)
			}
		}
	}
}
