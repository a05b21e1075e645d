package unwind

import (
	"runtime"
	"testing"
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
