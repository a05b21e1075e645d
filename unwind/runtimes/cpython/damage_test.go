package cpython_test

import (
	"reflect"
	"slices"
	"testing"

	"stacksnap/task"
)

// TestSavedMemoryIsReadAgain reads what other systems can not run.
func TestSavedMemoryIsReadAgain(t *testing.T) {
	for name, s := range openSaved(t) {
		version, frames, errs := s.read(s.Memory)
		if version != s.Version || len(errs) > 0 || !reflect.DeepEqual(frames, s.Frames) {
			t.Errorf("%s: %s %v %v, not %s %v", name, version, frames, errs, s.Version, s.Frames)
		}
	}
}

// TestAnyByteMayLie changes bytes of the memory, one at a time, in three ways. Whatever
// is read then has an end, and names are no longer than they may be.
func TestAnyByteMayLie(t *testing.T) {
	const step = 17 // of positions; another in each file
	n := 0
	for _, s := range openSaved(t) {
		m := s.Memory.clone()
		for i := range m {
			for j, was := range m[i].Bytes {
				if n++; n%step != 0 {
					continue
				}
				for _, lie := range []byte{0, 0xff, was ^ 1} {
					m[i].Bytes[j] = lie
					s.readDamaged(t, m)
				}
				m[i].Bytes[j] = was
			}
		}
	}
}

// TestTruncatedMemory cuts each piece of the memory to each of its lengths, in steps.
func TestTruncatedMemory(t *testing.T) {
	for _, s := range openSaved(t) {
		for i := range s.Memory {
			m := s.Memory.clone()
			for whole := m[i].Bytes; len(whole) > 0; whole = whole[:len(whole)-min(len(whole), 23)] {
				m[i].Bytes = whole
				s.readDamaged(t, m)
			}
		}
	}
}

// FuzzSaved changes the bytes at places given as pairs of a position (3 bytes) and a
// value.
func FuzzSaved(f *testing.F) {
	var all []*saved
	for _, s := range openSaved(f) {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *saved) int { return len(a.Version+a.Path) - len(b.Version+b.Path) })
	f.Add(uint8(0), []byte{0, 0, 1, 0xff, 0, 1, 0, 0x80})
	f.Fuzz(func(t *testing.T, which uint8, changes []byte) {
		s := all[int(which)%len(all)]
		m := s.Memory.clone()
		for ; len(changes) >= 4; changes = changes[4:] {
			m.set(int(changes[0])<<16|int(changes[1])<<8|int(changes[2]), changes[3])
		}
		s.readDamaged(t, m)
	})
}

func (m pieces) clone() pieces {
	c := slices.Clone(m)
	for i := range c {
		c[i].Bytes = slices.Clone(c[i].Bytes)
	}
	return c
}

// set changes byte i of all, counted modulo their number.
func (m pieces) set(i int, v byte) {
	size := 0
	for _, p := range m {
		size += len(p.Bytes)
	}
	for i %= size; ; m = m[1:] {
		if i < len(m[0].Bytes) {
			m[0].Bytes[i] = v
			return
		}
		i -= len(m[0].Bytes)
	}
}

func (s *saved) readDamaged(t *testing.T, m task.Memory) {
	t.Helper()
	_, threads, _ := s.read(m)
	for _, frames := range threads {
		if len(frames) > 4000 {
			t.Errorf("%d frames", len(frames))
		}
		for _, f := range frames {
			if len(f.Function) > 4<<10 || len(f.File) > 16<<10 || f.Line < 0 {
				t.Errorf("frame %.100v", f)
			}
		}
	}
}
