package images

import (
	"testing"

	"stacksnap/images/object"
)

// shifted is a Mach-O whose header is at a vmaddr, with a function at 0x100 from there.
type shifted struct {
	object.File
	text   uint64
	closed *int
}

func (s *shifted) Segments() []object.Segment {
	return []object.Segment{{Name: "__PAGEZERO"}, {Name: "__TEXT", VMAddr: s.text, Size: 0x1000}}
}

func (s *shifted) Symbol(vmaddr uint64) (object.Symbol, bool) {
	return object.Symbol{Name: "f", VMAddr: s.text + 0x100, Size: 0x10}, vmaddr-s.text-0x100 < 0x10
}

func (s *shifted) FunctionStart(vmaddr uint64) (uint64, bool) {
	return s.text + 0x100, vmaddr-s.text-0x100 < 0x10
}

func (s *shifted) Source(vmaddr uint64) []object.Source {
	if vmaddr-s.text-0x100 >= 0x10 {
		return nil
	}
	return []object.Source{{Function: "in", Line: 2}, {Function: "f", Line: 1, Low: s.text + 0x100, High: s.text + 0x110}}
}

func (s *shifted) Close() error { *s.closed++; return nil }

// nothing is a file of the shared cache that has no names.
type nothing struct{ shifted }

func (*nothing) Symbol(uint64) (object.Symbol, bool)  { return object.Symbol{}, false }
func (*nothing) FunctionStart(uint64) (uint64, bool)  { return 0, false }
func (*nothing) Source(vmaddr uint64) []object.Source { return nil }

// TestSymbolsOfAnotherPlace: a dSYM is linked to another vmaddr than the image in the
// shared cache; what it tells is told of the image. It is opened when it is needed, and
// not any more when that is closed.
func TestSymbolsOfAnotherPlace(t *testing.T) {
	const here, there = 0x1_8000_0000, 0x1000
	closed, opened := 0, 0
	open := func() (object.File, bool) { opened++; return &shifted{text: there, closed: &closed}, true }
	n := newNamed(&nothing{shifted{text: here, closed: &closed}}, open)
	if opened != 0 {
		t.Error("opened before anything was asked")
	}
	if s, ok := n.Symbol(here + 0x104); !ok || s.VMAddr != here+0x100 {
		t.Errorf("%+v", s)
	}
	if start, ok := n.FunctionStart(here + 0x104); !ok || start != here+0x100 {
		t.Errorf("%#x", start)
	}
	frames := n.Source(here + 0x104)
	if len(frames) != 2 || frames[0].Low != 0 || frames[1].Low != here+0x100 || frames[1].High != here+0x110 {
		t.Errorf("%+v", frames)
	}
	if _, ok := n.Symbol(here + 0x200); ok || n.Source(here+0x200) != nil {
		t.Error("a name of something else")
	}
	if err := n.Close(); err != nil || opened != 1 || closed != 2 {
		t.Errorf("%v, opened %d, closed %d", err, opened, closed)
	}
	n = newNamed(&nothing{shifted{text: here, closed: &closed}}, open)
	if err := n.Close(); err != nil || opened != 1 || closed != 3 {
		t.Errorf("closed unused: %v, opened %d, closed %d", err, opened, closed)
	}
}
