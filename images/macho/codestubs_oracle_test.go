package macho

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"
)

// TestSelectorStubsAgreeWithSymbols: where stubs that send a message have symbols, their
// instructions tell the same.
func TestSelectorStubsAgreeWithSymbols(t *testing.T) {
	for _, path := range append(oracleFiles(t), objcFixtures(t)...) {
		f := openOracle(t, path)
		table := f.symtab()
		if table == nil {
			continue
		}
		n, named := 0, 0
		f.eachSymbol(func(_ uint32, sym *nlist) bool {
			raw, _ := table.names.at(sym.strx)
			i := f.sectionIndex(sym.value)
			if !sym.defined() || i < 0 || !strings.HasPrefix(raw, "_objc_msgSend$") {
				return true
			}
			n++
			for _, into := range []uint64{0, 5, 11} {
				got, ok := f.selectorStub(sym.value+into, i)
				if !ok || "_"+got.Name != raw || got.VMAddr != sym.value {
					t.Errorf("%s: %#x: got %+v, %v; want %s", path, sym.value+into, got, ok, raw)
				}
			}
			return true
		})
		for i := range f.sections {
			s := &f.sections[i]
			for at := s.VMAddr; s.Name == "__objc_stubs" && at < s.VMAddr+s.Size; at += maxStub {
				if sym, ok := f.selectorStub(at, i); ok && len(sym.Name) > len("objc_msgSend$") {
					named++
				}
			}
		}
		t.Logf("%s: %d stubs with symbols, %d named by their instructions", filepath.Base(path), n, named)
	}
}

// TestStubHelpersAgreeWithPointers: the pointer through which a stub jumps goes to the
// helper of its symbol until that is bound.
func TestStubHelpersAgreeWithPointers(t *testing.T) {
	for _, path := range append(oracleFiles(t), objcFixtures(t)...) {
		f := openOracle(t, path)
		n := 0
		for i := range f.sections {
			s := &f.sections[i]
			if s.Flags&sectionTypeMask != typeLazyPointers {
				continue
			}
			data, err := f.sectionData(i)
			if err != nil {
				t.Fatal(err)
			}
			for k := range len(data) / 8 {
				at := binary.LittleEndian.Uint64(data[8*k:])
				helper := f.sectionIndex(at)
				if helper < 0 || f.sections[helper].Name != "__stub_helper" {
					continue
				}
				want, _ := f.indirectName(uint64(s.Reserved1) + uint64(k))
				sym, ok := f.Symbol(at + 5)
				if n++; !ok || sym.VMAddr != at || sym.Name != "stub helper for "+strings.TrimPrefix(want, "_") {
					t.Errorf("%s: %#x: got %+v, %v; want that of %s", path, at, sym, ok, want)
				}
			}
		}
		t.Logf("%s: %d helpers", filepath.Base(path), n)
	}
}
