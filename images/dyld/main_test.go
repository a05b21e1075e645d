package dyld

import (
	"bytes"
	"strings"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/macho"
	"stacksnap/images/object"
)

// withList is an arm64e program whose second section of code is its information
// property list instead.
func withList(t *testing.T, list string) *target {
	x := newTarget(t, 8)
	im := &machotest.Image{Is64: true, CPU: 0x0100000c, Subtype: 0x80000002, Type: uint32(macho.Execute), Base: mainBase}
	b := im.Encode()
	name := []byte("__text2\x00\x00\x00\x00\x00")
	at := bytes.Index(b, name)
	if at < 0 {
		t.Fatal("no section to rename")
	}
	copy(b[at:], "__info_plist")
	copy(b[machotest.Text2:], list+strings.Repeat(" ", machotest.TextSize-len(list)))
	x.M.Map(t, b, mainAt)
	x.list(mainAt, x.path("/bin/main"))
	return x
}

func TestTheProgramTellsItsBundle(t *testing.T) {
	const list = `<plist><dict><key>CFBundleIdentifier</key><string>org.example.tool</string></dict></plist>`
	beside := object.Bundle{ID: "org.example.app", Version: "2"}
	none := func(string) object.Bundle { return object.Bundle{} }
	asked := ""
	for name, c := range map[string]struct {
		list   string
		loader Loader
		want   object.Bundle
	}{
		"in it":          {list, Loader{}, object.Bundle{ID: "org.example.tool"}},
		"none beside it": {list, Loader{Bundle: none}, object.Bundle{ID: "org.example.tool"}},
		"beside it":      {list, Loader{Bundle: func(program string) object.Bundle { asked = program; return beside }}, beside},
		"nowhere":        {"", Loader{}, object.Bundle{}},
		"damaged in it":  {"<plist", Loader{}, object.Bundle{}},
	} {
		l, errs := c.loader.Load(withList(t, c.list))
		if len(errs) > 0 || len(l.Images) != 1 {
			t.Fatalf("%s: %d images, %v", name, len(l.Images), errs)
		}
		if im := l.Images[0]; im.Bundle != c.want || im.Variant != "arm64e" {
			t.Errorf("%s: %+v, %s", name, im.Bundle, im.Variant)
		}
	}
	if asked != "/bin/main" {
		t.Errorf("the list beside %q was asked for, want that of the path the kernel tells", asked)
	}
}
