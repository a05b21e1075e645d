package macho

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"testing"
)

// TestSymbolRelocations reads the same of an object file whose debugging information
// refers to symbols rather than sections.
func TestSymbolRelocations(t *testing.T) {
	program := linked(t, nil)
	b, changed := bySymbols(t, fixture(t, "mapped.o"))
	if changed < 5 {
		t.Fatalf("%d relocations were changed", changed)
	}
	write(t, filepath.Join(filepath.Dir(program), "mapped.o"), b, linkTime)
	expect(t, openMapped(t, program))
}

// bySymbols has the relocations of the sections for debuggers refer to the symbol main:
// its address is no longer in the places that they are of. Every other one of them is
// of two, that symbol and twice less it.
func bySymbols(t *testing.T, b []byte) (changed []byte, n int) {
	t.Helper()
	b = bytes.Clone(b)
	f, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{})
	if err != nil {
		t.Fatal(err)
	}
	symbol, value := uint32(0), uint64(0)
	f.eachSymbol(func(i uint32, s *nlist) bool {
		if name, _ := f.symtab().names.at(s.strx); name == "_main" {
			symbol, value = i, s.value
		}
		return true
	})
	if value == 0 {
		t.Fatal("main has no address of its own")
	}
	for i := range f.sections {
		s := &f.sections[i]
		if s.Segment != "__DWARF" {
			continue
		}
		for at := s.relocations.offset; at < s.relocations.offset+s.relocations.size; at += relocationBytes {
			place, info := binary.LittleEndian.Uint32(b[at:]), binary.LittleEndian.Uint32(b[at+4:])
			if info>>28 != relocUnsigned || info>>25&3 != 3 || info&relocExtern != 0 {
				t.Fatalf("a relocation of another kind: %#x", info)
			}
			field := b[uint64(s.Offset)+uint64(place):]
			kind := uint32(relocUnsigned)
			less := -value
			if n%2 == 1 {
				kind, less = relocSubtractX86, value
			}
			binary.LittleEndian.PutUint64(field, binary.LittleEndian.Uint64(field)+less)
			binary.LittleEndian.PutUint32(b[at+4:], symbol|3<<25|relocExtern|kind<<28)
			n++
		}
	}
	return b, n
}

// TestSymbolRelocationBounds leaves alone what a relocation has no room for, and 32-bit
// ones that are of sections.
func TestSymbolRelocationBounds(t *testing.T) {
	f := &File{header: header{order: binary.LittleEndian, is64: true, cpu: cpuX86_64}}
	b := make([]byte, 8)
	for _, l := range []relocation{{at: 1, size: 8}, {at: 5, size: 4}, {at: ^uint32(0), size: 8}, {at: 0, size: 2}} {
		if f.relocate(b, l, 7); !bytes.Equal(b, make([]byte, 8)) {
			t.Errorf("%+v: %x", l, b)
		}
	}
	f.relocate(b, relocation{at: 4, size: 4, subtract: true}, 1)
	if !bytes.Equal(b, []byte{0, 0, 0, 0, 255, 255, 255, 255}) {
		t.Errorf("%x", b)
	}
	small := &File{header: header{order: binary.LittleEndian, cpu: cpuARM}}
	if _, is := small.symbolRelocation(relocScattered, relocExtern); is {
		t.Error("a scattered relocation is taken for one of a symbol")
	}
	if _, is := f.symbolRelocation(relocScattered, relocExtern|3<<25); !is {
		t.Error("a relocation of a symbol is not found")
	}
}
