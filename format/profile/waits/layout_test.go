package waits

import (
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// described is a libdispatch that tells where it describes its queues.
type described struct{ *symbols }

func (described) DataSymbol(name string) (uint64, bool) { return 0x40, name == offsetsSymbol }

// Queues are read only if libdispatch does not say that they are laid out
// otherwise, and a port's name that two threads have names none.
func TestLayoutOfQueues(t *testing.T) {
	const load = 0x50000
	m := images.NewMap([]object.Placed{{Path: "/usr/lib/system/libdispatch.dylib", Load: load, Slide: load,
		File: described{&symbols{names: []string{"a"}}}}})
	offsets := func(version, label, target byte) []byte {
		b := make([]byte, offsetsSize)
		b[0], b[offsetsLabel], b[offsetsTarget] = version, label, target
		return b
	}
	for _, test := range []struct {
		name    string
		offsets []byte
		owner   task.ThreadID
	}{
		{"known", offsets(6, queueLabel, queueTarget), otherID},
		{"of before targets were told", offsets(4, queueLabel, 0), otherID},
		{"another label", offsets(6, queueLabel+8, queueTarget), 0},
		{"another target", offsets(6, queueLabel, queueTarget+8), 0},
		{"not readable", nil, otherID},
	} {
		p := queues(task.ARM64, otherPort, 0, 1)
		p.memory[load+0x40] = test.offsets
		thread, code := darwinThread(task.ARM64, 375, [6]uint64{topAt})
		p.memory[0x8000] = code
		threads := []task.Thread{{ID: self}, {ID: otherID}}
		if w, _ := New(darwinProcess{p}, m, threads).Find(thread, nil); w == nil || w.Owner != test.owner {
			t.Errorf("%s: %+v, want owner %d", test.name, w, test.owner)
		}
		p.handles[77] = 0x21000
		if w, _ := New(darwinProcess{p}, m, append(threads, task.Thread{ID: 77})).Find(thread, nil); w == nil || w.Owner != 0 {
			t.Errorf("%s, and two threads of one port: %+v", test.name, w)
		}
	}
}
