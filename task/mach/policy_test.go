package mach

import (
	"encoding/binary"
	"testing"

	"stacksnap/task"
)

const testHandle task.Addr = 0x500000000000 + 0xe0 // of the slots in a pthread_t

// qosFrom describes thread 1 of a process in which its slots are as given.
func qosFrom(t *testing.T, host task.Arch, self, priority uint64, change func(*scripted)) task.QoS {
	t.Helper()
	s := newScripted(host, 1)
	m := s.addRegion(testHandle&^(testPage-1), testPage, task.Read|task.Write, 0, false)
	at := int(testHandle) % testPage
	binary.LittleEndian.PutUint64(m.bytes[at:], self)
	binary.LittleEndian.PutUint64(m.bytes[at+4*8:], priority)
	s.threadList[0].handle, s.threadList[0].qaddr = testHandle, 0
	if change != nil {
		change(s)
	}
	p := mustOpen(t, s)
	defer mustClose(t, p)
	ids, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	var th task.Thread
	if err := p.Describe(ids[0], &th); err != nil {
		t.Fatal(err)
	}
	if s.noExtended == success && th.Priority != (task.Priority{Now: 30, Base: 31}) {
		t.Errorf("%+v", th.Priority)
	}
	return th.QoS
}

func TestQualityOfService(t *testing.T) {
	const self = uint64(testHandle) - 0xe0
	for name, c := range map[string]struct {
		self, priority uint64
		want           task.QoS
	}{
		"maintenance":            {self, 0x1ff, task.Maintenance},
		"background":             {self, 0x2ff, task.Background},
		"utility":                {self, 0x4ff, task.Utility},
		"default":                {self, 0x8ff, task.Default},
		"user-initiated":         {self, 0x10f0, task.UserInitiated},        // less urgent by 15
		"user-interactive":       {self, 0x800020ff, task.UserInteractive},  // with a flag
		"overridden":             {self, 0x1004ff | 0x800000, task.Utility}, // bsd/pthread/priority_private.h
		"none, but overridden":   {self, 0x1000ff, task.UnknownQoS},
		"none":                   {self, 0xff, task.UnknownQoS},
		"a class there is not":   {self, 0x40ff, task.UnknownQoS},
		"two":                    {self, 0x30ff, task.UnknownQoS},
		"a number in its place":  {self, 0x20002000, task.UnknownQoS},
		"no pthread":             {self + 0x1000, 0x4ff, task.UnknownQoS},
		"another's":              {self - 0x1000, 0x4ff, task.UnknownQoS},
		"a signed pointer to it": {self | 0x5a<<56, 0x4ff, task.Utility},
	} {
		if got := qosFrom(t, task.ARM64, c.self, c.priority, nil); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for name, change := range map[string]func(*scripted){
		"no handle":    func(s *scripted) { s.threadList[0].handle = 0 },
		"not readable": func(s *scripted) { s.threadList[0].handle = 8 },
		"cut":          func(s *scripted) { s.threadList[0].handle = testHandle&^(testPage-1) + testPage - 32 },
		"translated":   func(s *scripted) { s.bsd.flags |= flagRosetta },
		"no extended":  func(s *scripted) { s.noExtended = invalidArgument; s.threadList[0].handle = 0 },
	} {
		if got := qosFrom(t, task.ARM64, self, 0x4ff, change); got != task.UnknownQoS {
			t.Errorf("%s: %q", name, got)
		}
	}
	byQueue := func(s *scripted) { s.threadList[0].handle, s.threadList[0].qaddr = testHandle-0xe0, testHandle+0xa0 }
	if got := qosFrom(t, task.ARM64, self, 0x4ff, byQueue); got != task.Utility {
		t.Errorf("by the place of its queue: %q", got)
	}
	if got := qosFrom(t, task.AMD64, self, 0x4ff, nil); got != task.Utility {
		t.Errorf("x86_64: %q", got)
	}
}
