package unwind

import (
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"stacksnap/images"
	"stacksnap/task"
)

// TestOldMapsAreForgotten: where libraries come and go, each layout is another
// map, and in each some code is met that is not met again.
func TestOldMapsAreForgotten(t *testing.T) {
	u := New(Options{})
	var maps []weak.Pointer[images.Map]
	for i := range 10 * keptMaps {
		pc := uint64(0x10120 + 0x100*i)
		m := mapOf(newFake(task.AMD64))
		if frames, _ := u.Walk(nil, stacked(task.AMD64, pc, sb, sb+16, pc+0x40, 0, pc+0x80), m, nil); len(frames) != 3 {
			t.Fatalf("%d frames", len(frames))
		}
		maps = append(maps, weak.Make(m))
	}
	runtime.GC()
	kept := 0
	for _, m := range maps {
		if m.Value() != nil {
			kept++
		}
	}
	if kept > keptMaps || maps[len(maps)-1].Value() == nil {
		t.Errorf("%d maps are kept, want at most %d", kept, keptMaps)
	}
	runtime.KeepAlive(u)
}

// TestRulesAreMadeAsNeeded: one snapshot has few rules, and a cache for all that a sampling may meet
// would be a megabyte of memory to touch.
func TestRulesAreMadeAsNeeded(t *testing.T) {
	if size := unsafe.Sizeof(cache{}); size > 64<<10 {
		t.Errorf("an empty cache has %d bytes", size)
	}
	u := New(Options{})
	m := mapOf(newFake(task.AMD64))
	for range 2 {
		if frames, _ := u.Walk(nil, stacked(task.AMD64, 0x10120, sb, sb+16, 0x10160, 0, 0x101a0), m, nil); len(frames) != 3 {
			t.Fatalf("%d frames", len(frames))
		}
	}
	made := 0
	for _, e := range u.cache.slots {
		if e != nil {
			made++
		}
	}
	if made == 0 || made > 3 {
		t.Errorf("%d entries for three frames", made)
	}
}
