package elf

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
)

func readFixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func openBytes(t testing.TB, b []byte) *File {
	t.Helper()
	f, err := NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The addresses are those that readelf and llvm-objdump -d print.
var fixtures = []struct {
	name                        string
	arch                        task.Arch
	id                          string
	label, outer, hidden        uint64
	outerSize, hiddenSize, stub uint64 // no stub: 0
}{
	{"x86_64.so", task.AMD64, "9b2e95faea5b0f368d6981bb1403c8bf5c06d012", 0x1420, 0x1430, 0x1440, 14, 14, 0x1460},
	{"aarch64.so", task.ARM64, "01dd5f1bcbc03b8551cc6be9f8808082281fcf3a", 0x1042c, 0x10430, 0x10448, 24, 24, 0x10480},
	{"x86.so", task.I386, "27d845e9994b521a0c7e0f514c26127293a4620a", 0x12e0, 0x12f0, 0x1320, 34, 32, 0x1350},
	{"arm.so", task.ARM, "1549408b378664cec29757a2e09427db53e8e575", 0x102ac, 0x102b0, 0x102c4, 20, 20, 0},
	{"thumb.so", task.ARM, "bf0203110ffe195cedb18a97c5f6374d7170f3a0", 0x102ac, 0x102b0, 0x102be, 14, 12, 0},
}

func TestFile(t *testing.T) {
	for _, test := range fixtures {
		t.Run(test.name, func(t *testing.T) {
			f := openBytes(t, readFixture(t, test.name))
			if f.Arch() != test.arch || hex.EncodeToString(f.ID()) != test.id || !f.HasSymbols() {
				t.Errorf("arch %v, id %x, symbols %v", f.Arch(), f.ID(), f.HasSymbols())
			}
			outer := object.Symbol{Name: "outer", VMAddr: test.outer, Size: test.outerSize}
			hidden := object.Symbol{Name: "hidden", VMAddr: test.hidden, Size: test.hiddenSize}
			label := object.Symbol{Name: "label", VMAddr: test.label}
			wantSymbol(t, f, test.outer, outer)
			wantSymbol(t, f, test.outer+test.outerSize-1, outer)
			wantSymbol(t, f, test.hidden, hidden)
			wantSymbol(t, f, test.hidden+test.hiddenSize-1, hidden)
			wantSymbol(t, f, test.label, label)
			wantSymbol(t, f, test.outer-1, label)
			wantSymbol(t, f, test.label-1, object.Symbol{})
			wantSymbol(t, f, test.hidden+test.hiddenSize, object.Symbol{})
			if test.stub != 0 {
				wantSymbol(t, f, test.stub, object.Symbol{Name: "imported@plt", VMAddr: test.stub, Size: stubSize})
				wantSymbol(t, f, test.stub-1, object.Symbol{})
			}
			if start, ok := f.FunctionStart(test.outer + 4); !ok || start != test.outer {
				t.Errorf("outer+4 starts at %#x, %v", start, ok)
			}
		})
	}
}

func wantSymbol(t *testing.T, f *File, vmaddr uint64, want object.Symbol) {
	t.Helper()
	if got, ok := f.Symbol(vmaddr); got != want || ok != (want.Name != "") {
		t.Errorf("at %#x: got %+v, %v; want %+v", vmaddr, got, ok, want)
	}
}

// TestGlobalBeforeWeak exchanges the bindings of two names of one address: the
// global one answers, whatever their order is.
func TestGlobalBeforeWeak(t *testing.T) {
	b := readFixture(t, "x86_64.so")
	symtab := openBytes(t, b).elf.SectionByType(elf.SHT_SYMTAB)
	for at := symtab.Offset; at < symtab.Offset+symtab.FileSize; at += elf.Sym64Size {
		switch info := b[at+4]; elf.ST_BIND(info) {
		case elf.STB_GLOBAL:
			b[at+4] = elf.ST_INFO(elf.STB_WEAK, elf.ST_TYPE(info))
		case elf.STB_WEAK:
			b[at+4] = elf.ST_INFO(elf.STB_GLOBAL, elf.ST_TYPE(info))
		}
	}
	wantSymbol(t, openBytes(t, b), 0x1430, object.Symbol{Name: "alias", VMAddr: 0x1430, Size: 14})
}

func TestIndirectFunction(t *testing.T) {
	b := readFixture(t, "x86_64.so")
	symtab := openBytes(t, b).elf.SectionByType(elf.SHT_SYMTAB)
	for at := symtab.Offset; at < symtab.Offset+symtab.FileSize; at += elf.Sym64Size {
		if info := b[at+4]; elf.ST_TYPE(info) == elf.STT_FUNC {
			b[at+4] = elf.ST_INFO(elf.ST_BIND(info), elf.STT_GNU_IFUNC)
		}
	}
	wantSymbol(t, openBytes(t, b), 0x1441, object.Symbol{Name: "hidden", VMAddr: 0x1440, Size: 14})
}

// TestWithoutSections reads a file whose section headers were cut off by what
// the loader uses.
func TestWithoutSections(t *testing.T) {
	for _, test := range fixtures {
		t.Run(test.name, func(t *testing.T) {
			whole := openBytes(t, readFixture(t, test.name))
			b := readFixture(t, test.name)
			l := layoutOf(b)
			clear(b[l.shoff : l.shoff+l.word])
			clear(b[l.shnum : l.strndx+2])
			f := openBytes(t, b)
			wantSymbol(t, f, test.outer, object.Symbol{Name: "outer", VMAddr: test.outer, Size: test.outerSize})
			wantSameSections(t, f, whole)
			if !bytes.Equal(f.ID(), whole.ID()) {
				t.Errorf("id %x", f.ID())
			}
		})
	}
}

func wantSameSections(t *testing.T, f, whole *File) {
	t.Helper()
	for _, kind := range []object.Kind{object.EHFrameHdr, object.EHFrame, object.ExIdx} {
		got, err := f.Section(kind)
		want, wantErr := whole.Section(kind)
		if errors.Is(err, object.ErrNoSection) != errors.Is(wantErr, object.ErrNoSection) ||
			got.VMAddr != want.VMAddr || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("section %d: %d bytes at %#x, %v; want %d at %#x, %v",
				kind, len(got.Data), got.VMAddr, err, len(want.Data), want.VMAddr, wantErr)
		}
	}
}

// segmentMemory is a file's segments, placed at a slide.
type segmentMemory struct {
	file  *elf.File
	slide uint64
}

func (m segmentMemory) ReadMemory(p []byte, a task.Addr) (int, error) {
	n, err := fileVM{m.file}.readVM(p, uint64(a)-m.slide)
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n), Err: err}
	}
	return n, nil
}

func TestMemoryFile(t *testing.T) {
	const slide = 0x7f0000000000
	for _, test := range fixtures {
		t.Run(test.name, func(t *testing.T) {
			whole := openBytes(t, readFixture(t, test.name))
			mem := segmentMemory{whole.elf, slide}
			h, err := readHeader(mem, slide)
			if err != nil {
				t.Fatal(err)
			}
			f := newMemoryFile(memoryVM{mem, slide}, h, nil)
			wantSymbol(t, f, test.outer, object.Symbol{Name: "outer", VMAddr: test.outer, Size: test.outerSize})
			wantSymbol(t, f, test.hidden, object.Symbol{})
			wantSameSections(t, f, whole)
			if !bytes.Equal(f.ID(), whole.ID()) || f.Arch() != test.arch {
				t.Errorf("id %x, arch %v", f.ID(), f.Arch())
			}
		})
	}
}

func TestNotELF(t *testing.T) {
	for _, s := range []string{"", "\x7fEL", "#!/bin/sh\n", "\xcf\xfa\xed\xfe" + strings.Repeat("\x00", 100)} {
		if _, err := NewFile(strings.NewReader(s), int64(len(s))); !errors.Is(err, ErrNotELF) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// TestSectionNamesOutOfRange would make debug/elf index beyond its sections.
func TestSectionNamesOutOfRange(t *testing.T) {
	b := readFixture(t, "x86_64.so")
	l := layoutOf(b)
	shoff := l.uint(b, l.shoff)
	clear(b[l.shnum : l.shnum+2])
	copy(b[l.strndx:], "\xff\xff")
	copy(b[shoff+uint64(l.size):], "\x00\xff\x00\x00")
	copy(b[shoff+uint64(l.link):], "\xff\xff\x00\x00")
	if _, err := NewFile(bytes.NewReader(b), int64(len(b))); err == nil {
		t.Error("no error")
	}
}

func TestEHFrameSize(t *testing.T) {
	for s, want := range map[string]uint64{
		"":                                     0,
		"\x00\x00\x00":                         0,
		"\x00\x00\x00\x00junk":                 4,
		"\x04\x00\x00\x00abcd\x00\x00\x00\x00": 12,
		"\x04\x00\x00\x00abcd\xff\xff\x00\x00": 8,
		"\xff\xff\xff\xff\x01\x00\x00\x00\x00\x00\x00\x00a\x00\x00\x00\x00": 17,
	} {
		if got := ehFrameSize([]byte(s)); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestCompressedDebugFrame(t *testing.T) {
	gcc, objcopy := tool(t, "gcc"), tool(t, "objcopy")
	plain := filepath.Join(t.TempDir(), "plain")
	source := filepath.Join(t.TempDir(), "a.c")
	if err := os.WriteFile(source, []byte("int main(int n, char **v) { return n; }"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, gcc, "-g", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-o", plain, source)
	want, err := openFile(t, plain).Section(object.DebugFrame)
	if err != nil {
		t.Fatal(err)
	}
	for _, style := range []string{"zlib-gabi", "zlib-gnu"} {
		packed := plain + style
		run(t, objcopy, "--compress-debug-sections="+style, plain, packed)
		got, err := openFile(t, packed).Section(object.DebugFrame)
		if err != nil || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%s: %d bytes, %v; want %d", style, len(got.Data), err, len(want.Data))
		}
	}
}

// TestCode: the code of a file is what is mapped of it, and so is what is not written.
func TestCode(t *testing.T) {
	whole := readFixture(t, "x86_64.so")
	f := openBytes(t, whole)
	for _, s := range f.Segments() {
		var b [100]byte
		n := f.ReadCode(b[:], s.VMAddr+s.FileSize-16)
		end := s.Offset + s.FileSize
		want := string(whole[end-16 : end])
		if s.Prot&task.Write != 0 {
			want = ""
		}
		if string(b[:n]) != want {
			t.Errorf("segment at %#x, %v: %d bytes", s.VMAddr, s.Prot, n)
		}
		if n := f.ReadCode(b[:], s.VMAddr+s.Size+1<<40); n != 0 {
			t.Errorf("%d bytes beyond", n)
		}
	}
}

// TestExIdx: the index by which ARM throws is what the section is. The segment's kind is
// another on other machines.
func TestExIdx(t *testing.T) {
	other := readFixture(t, "thumb.so")
	other[18] = byte(elf.EM_386)
	if got, err := openBytes(t, other).Section(object.ExIdx); err != object.ErrNoSection {
		t.Errorf("not of ARM: %d bytes, %v", len(got.Data), err)
	}
	for _, test := range fixtures {
		f := openBytes(t, readFixture(t, test.name))
		got, err := f.Section(object.ExIdx)
		s := f.elf.Section(".ARM.exidx")
		if s == nil {
			if err != object.ErrNoSection {
				t.Errorf("%s: %d bytes, %v", test.name, len(got.Data), err)
			}
			continue
		}
		if want, _ := s.Data(); err != nil || got.VMAddr != s.Addr || !bytes.Equal(got.Data, want) || len(want) == 0 {
			t.Errorf("%s: %d bytes at %#x, %v; want %d", test.name, len(got.Data), got.VMAddr, err, len(want))
		}
	}
}
