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

// namedBy is a file with the symbols of another, and nobody to ask for more.
func namedBy(f object.File, open func() (object.File, bool)) *named {
	n := &named{File: f}
	n.more, n.asked = n.opened(open), n.opened(func() (object.File, bool) { return nil, false })
	return n
}

// TestSymbolsOfAnotherPlace: a dSYM is linked to another vmaddr than the image in the
// shared cache; what it tells is told of the image. It is opened when it is needed, and
// not any more when that is closed.
func TestSymbolsOfAnotherPlace(t *testing.T) {
	const here, there = 0x1_8000_0000, 0x1000
	closed, opened := 0, 0
	open := func() (object.File, bool) { opened++; return &shifted{text: there, closed: &closed}, true }
	n := namedBy(&nothing{shifted{text: here, closed: &closed}}, open)
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
	n = namedBy(&nothing{shifted{text: here, closed: &closed}}, open)
	if err := n.Close(); err != nil || opened != 1 || closed != 3 {
		t.Errorf("closed unused: %v, opened %d, closed %d", err, opened, closed)
	}
}

// TestOthersAreAskedLast: when a place in the source is wanted that nothing here has, not
// for a name; and what they have is a name where it is no more.
func TestOthersAreAskedLast(t *testing.T) {
	closed, asked := 0, 0
	n := &named{File: &nothing{shifted{text: 0x1000, closed: &closed}}}
	n.more = n.opened(func() (object.File, bool) { return nil, false })
	n.asked = n.opened(func() (object.File, bool) { asked++; return &symbolsOnly{shifted{text: 0x9000, closed: &closed}}, true })
	if _, ok := n.Symbol(0x1104); ok || asked != 0 {
		t.Error("others were asked for a name")
	}
	if f := n.Source(0x1104); len(f) != 1 || f[0].Function != "f" || f[0].Low != 0x1100 || f[0].Line != 0 || asked != 1 {
		t.Errorf("%+v, asked %d times", f, asked)
	}
	if f := n.Source(0x1204); f != nil || asked != 1 {
		t.Errorf("%+v, asked %d times", f, asked)
	}
	asked = 0
	n = &named{File: &known{shifted{text: 0x1000, closed: &closed}}}
	n.more = n.opened(func() (object.File, bool) { return nil, false })
	n.asked = n.opened(func() (object.File, bool) { asked++; return nil, false })
	if f := n.Source(0x1204); f != nil || asked != 0 {
		t.Errorf("%+v of a file with debugging information, asked %d times", f, asked)
	}
}

// symbolsOnly is a file without debugging information, known one that has some.
type (
	symbolsOnly struct{ shifted }
	known       struct{ shifted }
)

func (*symbolsOnly) Source(uint64) []object.Source { return nil }
func (*known) Sourced() bool                       { return true }

// partly knows where debugging information of its own is missing.
type partly struct{ known }

func (*partly) SourceNote() string            { return "it is missing" }
func (*partly) Source(uint64) []object.Source { return nil }

// TestOthersHaveWhatIsMissing: they are asked though there is some debugging information,
// and what is missing is told only where they have none.
func TestOthersHaveWhatIsMissing(t *testing.T) {
	for _, have := range []bool{true, false} {
		closed := 0
		n := namedBy(&partly{known{shifted{text: 0x9000, closed: &closed}}}, func() (object.File, bool) { return nil, false })
		n.asked = n.opened(func() (object.File, bool) { return &shifted{text: 0x9000, closed: &closed}, have })
		if note := n.SourceNote(); note == "" {
			t.Error("nothing is missing before it was asked for")
		}
		if f := n.Source(0x9104); (f != nil) != have || (n.SourceNote() == "") != have {
			t.Errorf("others have it: %v; told %+v, noted %q", have, f, n.SourceNote())
		}
	}
}

// teller knows what its bytes are.
type teller struct{ shifted }

func (*teller) DataInCode(vmaddr uint64) (start, end uint64, ok bool) {
	return vmaddr + 1, vmaddr + 2, true
}
func (*teller) Thumb(uint64) (thumb, known bool)                   { return true, true }
func (*teller) SectionRange(string) (vmaddr, size uint64, ok bool) { return 4, 5, true }
func (*teller) Exported(string) (vmaddr uint64, ok bool)           { return 6, true }

// TestNamesHideNothing: what a file tells of its code it tells with another's symbols, too.
func TestNamesHideNothing(t *testing.T) {
	closed := 0
	none := func() (object.File, bool) { return nil, false }
	var f object.File = namedBy(&teller{shifted{text: 0x1000, closed: &closed}}, none)
	if start, end, ok := f.(object.DataReporter).DataInCode(7); start != 8 || end != 9 || !ok {
		t.Errorf("data from %d to %d, %t", start, end, ok)
	}
	if thumb, known := f.(object.ThumbReporter).Thumb(7); !thumb || !known {
		t.Errorf("Thumb: %t, known %t", thumb, known)
	}
	data := f.(object.DataFinder)
	if at, size, ok := data.SectionRange("data"); at != 4 || size != 5 || !ok {
		t.Errorf("a section at %d, %d bytes, %t", at, size, ok)
	}
	if at, ok := data.Exported("data"); at != 6 || !ok {
		t.Errorf("a variable at %d, %t", at, ok)
	}
	f = namedBy(&shifted{text: 0x1000, closed: &closed}, none)
	if _, ok := f.(object.DataFinder).Exported("data"); ok {
		t.Error("a variable of a file that cannot tell")
	}
	if _, _, ok := f.(object.DataReporter).DataInCode(7); ok {
		t.Error("data of a file that cannot tell")
	}
	if _, known := f.(object.ThumbReporter).Thumb(7); known {
		t.Error("the set of a file that cannot tell")
	}
}

// TestOthersLackTheSame: what is missing is told, too, where others have the file and miss
// the same.
func TestOthersLackTheSame(t *testing.T) {
	closed := 0
	n := namedBy(&partly{known{shifted{text: 0x9000, closed: &closed}}}, func() (object.File, bool) { return nil, false })
	n.asked = n.opened(func() (object.File, bool) { return &nothing{shifted{text: 0x9000, closed: &closed}}, true })
	if f := n.Source(0x9104); f != nil || n.SourceNote() == "" {
		t.Errorf("told %+v, noted %q", f, n.SourceNote())
	}
}
