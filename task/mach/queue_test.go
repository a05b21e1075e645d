package mach

import (
	"errors"
	"testing"

	"stacksnap/task"
)

// label describes thread 1, whose queue slot is at testQueues.
func label(t *testing.T, s *scripted, script func(*Process)) string {
	t.Helper()
	p := mustOpen(t, s)
	defer mustClose(t, p)
	if _, err := p.Threads(); err != nil {
		t.Fatal(err)
	}
	if script != nil {
		script(p)
	}
	var th task.Thread
	if err := p.Describe(1000, &th); err != nil {
		t.Fatal(err)
	}
	return th.Queue
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
	copy(offsets.bytes, []byte{4, 0, 0x48, 0, 8, 0, 1, 2, 3, 4})
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
	copy(offsets.bytes, []byte{3, 0, 0x48, 0, 64, 0})
	if got := label(t, s, set); got != "inline" {
		t.Errorf("of version 3: %q", got)
	}
}

func TestQueueOffsetsThatCannotBe(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	offsets := s.addRegion(testAllInfo, 64, task.Read, 0, false)
	p := mustOpen(t, s)
	defer mustClose(t, p)
	for _, b := range [][]byte{{0, 0, 0x48, 0, 8, 0}, {4, 0, 0, 0, 8, 0}, {4, 0, 0x48, 0, 0, 0}, {4, 0, 0, 0x10, 8, 0}, {4, 0, 1, 0, 0, 8}} {
		copy(offsets.bytes, b)
		if err := p.SetQueueOffsets(testAllInfo); err == nil {
			t.Errorf("% x accepted", b)
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
