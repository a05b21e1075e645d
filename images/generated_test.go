package images

import (
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
)

// made names all that it is asked.
type made struct{ segments []object.Segment }

func (f made) Symbol(v uint64) (object.Symbol, bool) {
	return object.Symbol{Name: "JS:~f /a/@b.js:1", VMAddr: v &^ 0xff, Size: 0x100}, v != 0x5066
}
func (f made) Source(v uint64) []object.Source {
	if v&0xff != 0x7f {
		return nil
	}
	return []object.Source{{Function: "f", File: "/a/b.js", Line: 9}}
}
func (f made) Segments() []object.Segment          { return f.segments }
func (made) Arch() task.Arch                       { return task.AMD64 }
func (made) ID() []byte                            { return nil }
func (made) HasSymbols() bool                      { return true }
func (made) FunctionStart(v uint64) (uint64, bool) { return v, true }
func (made) Close() error                          { return nil }
func (made) Section(object.Kind) (object.Section, error) {
	return object.Section{}, object.ErrNoSection
}

// TestGeneratedCode is named where it is mapped and no image is, and is in no image
// for those who ask what is mapped where.
func TestGeneratedCode(t *testing.T) {
	const code = task.Read | task.Execute
	image := object.Placed{Path: "/lib", Load: 0x5000, File: made{[]object.Segment{{VMAddr: 0x5000, Size: 0x40, Prot: code}}}}
	names := object.Placed{Path: "/tmp/perf-1.map", Generated: true, File: made{[]object.Segment{
		{VMAddr: 0x1000, Size: 0x1000, Prot: code}, {VMAddr: 0x5000, Size: 0x1000, Prot: code},
	}}}
	plain := NewMap([]object.Placed{image})
	for name, m := range map[string]*Map{"made so": NewMap([]object.Placed{names, image}), "with": plain.WithGenerated(names)} {
		if len(m.Images) != 1 || m.Generated() == nil || m.Main() != nil {
			t.Fatalf("%s: images %v", name, m.Images)
		}
		for at, want := range map[task.Addr]bool{
			0xfff: false, 0x1000: true, 0x1fff: true, 0x2000: false, 0x5000: false, 0x5040: true, 0x5066: false, 0x6000: false,
		} {
			l := m.Locate(at, false)
			if got := l.Image == m.Generated(); got != want || want && l.Function != "JS:~f /a/@b.js:1" {
				t.Errorf("%s: %v is in %+v", name, at, l)
			}
			if _, found := m.Find(at); found != (at == 0x5000) {
				t.Errorf("%s: an image at %v", name, at)
			}
		}
		if _, ok := m.GeneratedAt(0x5000); ok {
			t.Errorf("%s: generated code where an image is", name)
		}
		if l := m.Locate(0x1100, true); l.Offset != 0x100 {
			t.Errorf("%s: a return address has offset %#x", name, l.Offset)
		}
	}
	with := plain.WithGenerated(names)
	if l := with.Locate(0x1080, true); l.File != "/a/b.js" || l.Line != 9 {
		t.Errorf("a return address is at %+v", l)
	}
	if l := with.Locate(0x1080, false); l.File != "" || l.Line != 0 {
		t.Errorf("an address of no line is at %+v", l)
	}
	if plain.Generated() != nil || plain.Locate(0x1000, false) != (Location{}) {
		t.Error("the map itself has got names")
	}
	if _, ok := plain.WithGenerated(object.Placed{Generated: true}).GeneratedAt(0x1000); ok {
		t.Error("a name without a file")
	}
}
