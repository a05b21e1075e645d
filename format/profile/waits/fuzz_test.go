package waits

import (
	"encoding/binary"
	"testing"

	"stacksnap/task"
)

// FuzzFind makes locks and calls of anything: nothing may be claimed but what
// the target has.
func FuzzFind(f *testing.F) {
	f.Add(uint16(202), []byte{2, 0, 0, 0, 0, 0, 0, 0, 101, 0, 0, 0}, uint64(lockAt), uint64(0x80), uint64(2), uint8(0))
	f.Add(uint16(202), []byte{3, 0, 0, 0}, uint64(lockAt+8), uint64(0x80), uint64(3), uint8(1))
	f.Add(uint16(7), []byte{3, 0, 0, 0}, uint64(lockAt), uint64(1)<<63, uint64(3), uint8(2))
	functions := []string{"__lll_lock_wait", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_join", "sem_wait", "_.0@"}
	f.Fuzz(func(t *testing.T, number uint16, lock []byte, a, b, c uint64, function uint8) {
		p := &process{memory: map[task.Addr][]byte{lockAt: lock}}
		args := [6]uint64{a, b, c}
		w := onLinuxNumber(p, int(number), args, functions[int(function)%len(functions)])
		if w != nil && w.Owner != 0 && w.Owner != self && w.Owner != other {
			t.Errorf("owner %d is no thread", w.Owner)
		}
		for _, arch := range []task.Arch{task.AMD64, task.ARM64} {
			thread, code := darwinThread(arch, int(number), args)
			d := onDarwin(arch)
			d.memory[lockAt], d.memory[0x8000] = lock, code
			for _, handle := range d.handles {
				if len(lock) > 4 {
					binary.LittleEndian.PutUint32(d.memory[handle][24:], binary.LittleEndian.Uint32(lock[len(lock)-4:]))
				}
			}
			found, _ := New(darwinProcess{d}, nil, []task.Thread{{ID: self}, {ID: other}}).Find(thread, nil)
			if found != nil && found.Owner != 0 && found.Owner != self && found.Owner != other {
				t.Errorf("%v: owner %d is no thread", arch, found.Owner)
			}
		}
	})
}
