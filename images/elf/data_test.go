package elf

import "testing"

func TestDataIsFoundByName(t *testing.T) {
	for _, name := range []string{"x86_64.so", "aarch64.so", "x86.so"} {
		f := openFile(t, "testdata/"+name)
		for _, exported := range []string{"alias", "label", "outer"} {
			at, ok := f.Exported(exported)
			s, _ := f.Symbol(at)
			if !ok || s.VMAddr != at {
				t.Errorf("%s: %s is at %#x, of %+v", name, exported, at, s)
			}
		}
		for _, none := range []string{"imported", "oute", "outer2", ""} {
			if at, ok := f.Exported(none); ok {
				t.Errorf("%s: %q is at %#x", name, none, at)
			}
		}
		text := f.elf.Section(".text")
		if at, size, ok := f.SectionRange(".text"); !ok || at != text.Addr || size != text.Size {
			t.Errorf("%s: .text is at %#x, %d bytes", name, at, size)
		}
		for _, none := range []string{".comment", ".none", ""} {
			if at, _, ok := f.SectionRange(none); ok {
				t.Errorf("%s: %q is mapped at %#x", name, none, at)
			}
		}
	}
}
