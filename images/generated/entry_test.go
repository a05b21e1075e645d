package generated

import "testing"

func TestLines(t *testing.T) {
	l := NewLines([]Line{{0x40, "b.js", 3}, {0x10, "a.js", 1}, {0x20, "a.js", 9}, {0x20, "a.js", 2}})
	moved := l.Moved(0x10)
	for at, want := range map[uint64]Line{
		0xf: {}, 0x10: {0x10, "a.js", 1}, 0x1f: {0x10, "a.js", 1}, 0x20: {0x20, "a.js", 2}, 0x3f: {0x20, "a.js", 2}, 0x40: {0x40, "b.js", 3}, 0xffff: {0x40, "b.js", 3},
	} {
		if got := l.at(at); got != want {
			t.Errorf("%#x: %+v", at, got)
		}
		if got := moved.at(at + 0x10); got.File != want.File || got.Line != want.Line {
			t.Errorf("moved, %#x: %+v", at+0x10, got)
		}
	}
	var none *Lines
	if none.at(5) != (Line{}) || none.Moved(1) != nil {
		t.Error("lines of nothing")
	}
}
