package macho

import (
	"bytes"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/object"
)

// TestVariables reach to the next symbol of their section, be it one that has no name. Where
// local symbols were stripped, a variable is known at its own address alone.
func TestVariables(t *testing.T) {
	const data = base + machotest.Data
	image := &machotest.Image{Is64: true, CPU: 0x1000007, Type: uint32(Dylib), Base: base, Symbols: []machotest.Symbol{
		{Name: "_main", Type: ext, Sect: 1, Value: base + machotest.Text},
		{Name: "_low", Type: ext, Sect: 4, Value: data - 8}, // not in its section
		{Name: "_checking", Type: ext, Sect: 4, Value: data + 0x40},
		{Name: "_alias", Type: nSect, Sect: 4, Value: data + 0x40},
		{Name: "__ZL7savings", Type: nSect, Sect: 4, Value: data + 0x80},
		{Name: redacted, Type: nSect, Sect: 4, Value: data + 0xc0},
		{Name: "_undefined", Type: nExt, Value: data + 0xe0},
		{Name: "_stab", Type: 0x20, Sect: 4, Value: data + 0xe0}, // N_GSYM
		{Name: "_last", Type: ext, Sect: 4, Value: data + 0x100},
	}}
	check := func(stripped bool) {
		b := image.Encode()
		f, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{})
		if err != nil {
			t.Fatal(err)
		}
		end := f.sections[3].VMAddr + f.sections[3].Size
		for at, want := range map[uint64]object.Symbol{
			data: {}, data - 8: {}, base + machotest.Text: {}, end: {}, 0: {}, ^uint64(0): {}, data + 0xc8: {},
			data + 0x40:  {Name: "checking", VMAddr: data + 0x40, Size: 0x40},
			data + 0x58:  {Name: "checking", VMAddr: data + 0x40, Size: 0x40},
			data + 0x80:  {Name: "_ZL7savings", VMAddr: data + 0x80, Size: 0x40},
			data + 0xbf:  {Name: "_ZL7savings", VMAddr: data + 0x80, Size: 0x40},
			data + 0x100: {Name: "last", VMAddr: data + 0x100, Size: end - data - 0x100},
			end - 1:      {Name: "last", VMAddr: data + 0x100, Size: end - data - 0x100},
		} {
			got, ok := f.Variable(at)
			if stripped && at != want.VMAddr {
				want = object.Symbol{}
			}
			if stripped && got.Name != "" { // what was stripped ends none
				want.Size = got.Size
			}
			if stripped && want.Name == "_ZL7savings" {
				want = object.Symbol{}
			}
			if ok != (want.Name != "") || ok && got != want {
				t.Errorf("stripped %t, %#x: %+v, %t, want %+v", stripped, at, got, ok, want)
			}
		}
	}
	check(false)
	var globals []machotest.Symbol
	for _, s := range image.Symbols {
		if s.Type&nExt != 0 {
			globals = append(globals, s)
		}
	}
	image.Symbols = globals
	check(true)
}
