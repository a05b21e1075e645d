package images

import (
	"slices"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
)

// explained is a file with debugging information for 0x1000 to 0x10ff.
type explained struct{ linked }

func (explained) Source(vmaddr uint64) []object.Source {
	if vmaddr < 0x1000 || vmaddr > 0x10ff {
		return nil
	}
	return []object.Source{
		{Function: "__GI___mmap64", File: "/src/mmap64.c", Line: 58, Column: 3},
		{Function: "$s4shop3addyyYaKFTQ0_", File: "/src/add.swift"},
		{Function: "_Z5parsePKc.cold", File: "/src/parse.cc", Line: 7, Low: 0x1000, High: 0x1100},
	}
}

// TestSource names inlined calls as functions are named, the outermost first, and
// looks a return address up by the call before it.
func TestSource(t *testing.T) {
	im := &Image{Placed: object.Placed{File: explained{}, Slide: 0x10000}}
	want := []Location{
		{Image: im, Function: "parse(char const*)", Raw: "_Z5parsePKc.cold", Start: 0x11000, File: "/src/parse.cc", Line: 7},
		{Image: im, Function: "add()", Raw: "$s4shop3addyyYaKFTQ0_", Overload: "$s4shop3addyyYaKF", Inlined: true},
		{Image: im, Function: "__mmap64", Raw: "__GI___mmap64", Inlined: true, File: "/src/mmap64.c", Line: 58, Column: 3},
	}
	for _, at := range []struct {
		pc       task.Addr
		isReturn bool
		known    bool
	}{
		{0x11000, false, true}, {0x11000, true, false}, {0x11001, true, true},
		{0x110ff, false, true}, {0x11100, false, false}, {0x11100, true, true}, {0, true, false},
	} {
		got := im.Source(at.pc, at.isReturn)
		if at.known && !slices.Equal(got, want) || !at.known && len(got) > 0 {
			t.Errorf("%+v:\n%+v", at, got)
		}
	}
	im.Generated = true
	if got := im.Source(0x11000, false); got != nil {
		t.Errorf("of generated code: %+v", got)
	}
}
