package macho

import (
	"bytes"
	"testing"

	"stacksnap/images/internal/machotest"
)

// TestSymbolsWithoutFunctionStarts: zig's linker writes none. As long as it has symbols
// that only the file knows, of data too, nobody has taken any out, and what follows a
// function is of it. Its branches to far functions are left where others are not (-x).
func TestSymbolsWithoutFunctionStarts(t *testing.T) {
	const text = base + machotest.Text
	for _, c := range []struct {
		name  string
		local machotest.Symbol
		want  bool
	}{
		{"data", machotest.Symbol{Name: "dyld_private", Type: nSect, Sect: 4, Value: base + machotest.Data}, true},
		{"function", machotest.Symbol{Name: "_inner", Type: nSect, Sect: 2, Value: base + machotest.Text2}, true},
		{"thunk", machotest.Symbol{Name: "_printf__thunk", Type: nSect, Sect: 2, Value: base + machotest.Text2}, false},
		{"private", machotest.Symbol{Name: "_inner", Type: priv, Sect: 2, Value: base + machotest.Text2}, false},
		{"absolute", machotest.Symbol{Name: "_absolute", Type: 2}, false},
		{"stab", machotest.Symbol{Name: "_inner", Type: 0x24, Sect: 2, Value: base + machotest.Text2}, false}, // N_FUN
	} {
		im := machotest.Image{Is64: true, CPU: cpuARM64, Type: uint32(Execute), Base: base, Symbols: []machotest.Symbol{
			{Name: "__mh_execute_header", Type: ext, Sect: 1, Value: base}, {Name: "_main", Type: ext, Sect: 1, Value: text}, c.local,
		}}
		b := im.Encode()
		f, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{})
		if err != nil {
			t.Fatal(err)
		}
		// The code there stops at once (udf), so that control does not come to it.
		if sym, ok := f.Symbol(text + 212); ok != c.want || ok && (sym.Name != "main" || sym.VMAddr != text) {
			t.Errorf("%s: %+v, %v", c.name, sym, ok)
		}
	}
}
