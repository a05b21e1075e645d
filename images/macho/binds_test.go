package macho

import (
	"fmt"
	"slices"
	"testing"

	"stacksnap/images/object"
)

// TestBinds follows each opcode of a list.
func TestBinds(t *testing.T) {
	f := &File{commands: commands{segments: []object.Segment{{VMAddr: 0}, {VMAddr: 0x4000}}}}
	name := func(s string) []byte { return append(append([]byte{bindSymbol}, s...), 0) }
	for what, c := range map[string]struct {
		list []byte
		want []string
	}{
		"one":              {slices.Concat(name("_a"), []byte{bindSegment | 1, 0x88, 1, bindDo, bindDone, bindDo}), []string{"0x4088 _a"}},
		"library and type": {slices.Concat([]byte{bindLibrary | 3, bindLibraryULEB, 0x90, 1, bindLibrarySpecial | 15, bindType | 1, bindAddend, 0x7f, bindSegment | 1, 8}, name("_b"), []byte{bindDo}), []string{"0x4008 _b"}},
		"and add":          {slices.Concat(name("_a"), []byte{bindSegment | 1, 0, bindDoAdd, 0x18, bindDo}), []string{"0x4000 _a", "0x4020 _a"}},
		"and add scaled":   {slices.Concat(name("_a"), []byte{bindSegment | 1, 0, bindDoAddScaled | 2, bindDo}), []string{"0x4000 _a", "0x4018 _a"}},
		"add":              {slices.Concat(name("_a"), []byte{bindSegment | 1, 0, bindAdd, 0x30, bindDo}), []string{"0x4030 _a"}},
		"repeated":         {slices.Concat(name("_a"), []byte{bindSegment | 1, 0, bindDoRepeated, 3, 8, bindDo}), []string{"0x4000 _a", "0x4010 _a", "0x4020 _a", "0x4030 _a"}},
		"no segment":       {slices.Concat(name("_a"), []byte{bindSegment | 2, 0, bindDo}), nil},
		"no end of a name": {[]byte{bindDo, bindSymbol, 'a'}, []string{"0x0 "}},
		"threads":          {slices.Concat(name("_a"), []byte{0xd0, bindDo}), nil},
	} {
		var got []string
		(&binder{file: f, rest: c.list, bound: func(at uint64, name string) bool {
			got = append(got, fmt.Sprintf("%#x %s", at, name))
			return true
		}}).run()
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}

// TestEndlessBinds: a short list may bind for ever.
func TestEndlessBinds(t *testing.T) {
	n := 0
	list := []byte{bindDoRepeated, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0}
	(&binder{file: &File{}, rest: slices.Concat(list, list), bound: func(uint64, string) bool { n++; return true }}).run()
	if n != maxBindSteps {
		t.Errorf("%d steps", n)
	}
}
