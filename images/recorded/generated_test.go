package recorded_test

import (
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/images/recorded"
)

// TestNamesOfGeneratedCode are given again for what a snapshot had, where no image
// is, and are no image there either.
func TestNamesOfGeneratedCode(t *testing.T) {
	s := newSession(t)
	names := object.Placed{Path: "/tmp/perf-1.map", Generated: true, File: &library{}}
	s.m = s.saver.PlaceMap(images.NewMap(nil).WithGenerated(names), noRegions)
	if s.m.Generated() == nil {
		t.Fatal("the map that is to be used has no names")
	}
	s.save(0x1041)
	r := s.reopen()
	m := recorded.Map(r)
	if g := m.Generated(); g == nil || g.Path != names.Path || len(m.Images) != 0 {
		t.Fatalf("names %+v, images %v", g, m.Images)
	}
	for _, isReturn := range []bool{false, true} { // nobody knows which it is when it is saved
		if l := m.Locate(0x1041, isReturn); l.Function != "__f" || l.Offset != 1 {
			t.Errorf("%+v", l)
		}
	}
	if l := m.Locate(0x1042, false); l.Function != "" || l.Image != nil {
		t.Errorf("what was not asked is in %+v", l)
	}
}
