package mach

import (
	"testing"

	"stacksnap/task"
)

func TestThreadHandle(t *testing.T) {
	s := newScripted(task.ARM64, 3)
	s.threadList[1].handle = 0x7000
	s.threadList[2].handle, s.threadList[2].qaddr = 0x8000, 0x9000+20*8
	p, err := open(s, s.pid)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := p.Threads()
	if err != nil || len(ids) != 3 {
		t.Fatal(ids, err)
	}
	if a, ok := p.ThreadHandle(ids[1]); !ok || a != 0x7000 {
		t.Errorf("handle %v, %v", a, ok)
	}
	if a, ok := p.ThreadHandle(ids[2]); !ok || a != 0x9000 {
		t.Errorf("handle %v, %v, of a thread that has a place for its queue", a, ok)
	}
	for _, id := range []task.ThreadID{ids[0], 12345} {
		if a, ok := p.ThreadHandle(id); ok {
			t.Errorf("thread %d has handle %v", id, a)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	s.balance(t)
}
