package macho

import "testing"

func TestDataIsFoundByName(t *testing.T) {
	for _, name := range []string{"main.x86_64", "main.aarch64"} {
		f := openOracle(t, "testdata/"+name)
		at, ok := f.Exported("main")
		if s, _ := f.Symbol(at); !ok || s.VMAddr != at {
			t.Errorf("%s: main is at %#x, of %+v", name, at, s)
		}
		if at, ok := f.Exported("mai"); ok {
			t.Errorf("%s: a symbol that is none is at %#x", name, at)
		}
		if at, size, ok := f.SectionRange("__TEXT,__text"); !ok || f.sections[f.sectionIndex(at)].Name != "__text" || size == 0 {
			t.Errorf("%s: __text is at %#x, %d bytes", name, at, size)
		}
		if _, _, ok := f.SectionRange("__DATA,PyRuntime"); ok {
			t.Errorf("%s: a section that is none was found", name)
		}
	}
}
