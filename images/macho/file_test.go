package macho

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/object"
	"stacksnap/task"
)

const (
	ext  = nSect | nExt
	priv = nSect | nPrivate
	base = 0x4000
)

// synthetic has every kind of symbol that the choice must tell apart.
func synthetic(order binary.ByteOrder, is64 bool, cpu uint32) *machotest.Image {
	const text, text2 = base + machotest.Text, base + machotest.Text2
	return &machotest.Image{
		Order: order, Is64: is64, CPU: cpu, Type: uint32(Dylib), Base: base,
		UUID:        []byte("0123456789abcdef"),
		InstallName: "/usr/lib/libfake.dylib",
		Indirect:    []uint32{6, indirectLocal, 7, 999},
		Symbols: []machotest.Symbol{
			{Name: "__mh_dylib_header", Type: ext, Sect: 1, Value: base},
			{Name: "_first", Type: nSect, Sect: 1, Value: text},
			{Name: "source.c", Type: 0x64, Value: 0},                   // N_SO
			{Name: "_stab", Type: 0x24, Sect: 1, Value: text + 8},      // N_FUN
			{Name: "_abs", Type: 0x2 | nExt, Value: text + 12},         // N_ABS
			{Name: "_alias", Type: 0xa | nExt, Value: text + 12},       // N_INDR
			{Name: "_malloc", Type: nExt},                              // N_UNDF
			{Name: "_free", Type: nExt},                                // N_UNDF
			{Name: "_datum", Type: ext, Sect: 4, Value: base + 0x2010}, // data
			{Name: "_intruder", Type: ext, Sect: 4, Value: text + 16},  // of another section
			{Name: "ltmp0", Type: nSect, Sect: 1, Value: text + 0x20},
			{Name: "_local", Type: nSect, Sect: 1, Value: text + 0x20},
			{Name: "_private", Type: priv, Sect: 1, Value: text + 0x40},
			{Name: "_weak", Type: ext, Sect: 1, Desc: nWeakDef, Value: text + 0x40},
			{Name: "__ZN3foo3barEv", Type: ext, Sect: 1, Value: text + 0x40},
			{Name: "_b_local", Type: nSect, Sect: 1, Value: text + 0x40},
			{Name: "-[Object method:]", Type: nSect, Sect: 1, Value: text + 0x60},
			{Name: "LBB0_1", Type: nSect, Sect: 1, Value: text + 0x70},
			{Name: redacted, Type: nSect, Sect: 1, Value: text + 0x80},
			{Name: "", Type: nSect, Sect: 1, Value: text + 0x90},
			{Name: "log.Println", Type: nSect, Sect: 1, Value: text + 0xa0},
			{Name: "_", Type: nSect, Sect: 1, Value: text + 0x98},
			{Name: "_second", Type: ext, Sect: 2, Value: text2 + 0x10},
			{Name: "_beyond", Type: ext, Sect: 200, Value: text2 + 0x10},
		},
	}
}

func checkSynthetic(t *testing.T, f *File) {
	t.Helper()
	const text, text2, stubs = base + machotest.Text, base + machotest.Text2, base + machotest.Stubs
	for _, test := range []struct {
		at    uint64
		name  string
		start uint64
	}{
		{base, "", 0},
		{base + 0x100, "", 0}, // never the header
		{text, "first", text},
		{text + 0x1f, "first", text}, // neither the stab nor what is absolute, indirect or data
		{text + 0x20, "local", text + 0x20},
		{text + 0x45, "_ZN3foo3barEv", text + 0x40},
		{text + 0x60, "-[Object method:]", text + 0x60},
		{text + 0x7f, "-[Object method:]", text + 0x60},
		{text + 0x88, "", text + 0x80},
		{text + 0x94, "", text + 0x90},
		{text + 0x98, "", text + 0x98},
		{text + 0x3ff, "log.Println", text + 0xa0},
		{text2, "", 0}, // not log.Println, which is of the section before
		{text2 + 0x10, "second", text2 + 0x10},
		{text2 + 0x3ff, "second", text2 + 0x10},
		{stubs, "DYLD-STUB$$malloc", stubs},
		{stubs + 5, "DYLD-STUB$$malloc", stubs},
		{stubs + 6, "", stubs + 6}, // a stub for a local symbol
		{stubs + 12, "DYLD-STUB$$free", stubs + 12},
		{stubs + 18, "", stubs + 18},
		{stubs + 24, "", 0},
		{base + 0x2010, "", 0}, // data
		{0, "", 0},
		{^uint64(0), "", 0},
	} {
		sym, ok := f.Symbol(test.at)
		if sym.Name != test.name && ok || ok != (test.name != "") || ok && sym.VMAddr != test.start {
			t.Errorf("%#x: got %+v, %v; want %q", test.at, sym, ok, test.name)
		}
		start, ok := f.FunctionStart(test.at)
		if start != test.start && ok || ok != (test.start != 0) {
			t.Errorf("%#x: starts at %#x, %v; want %#x", test.at, start, ok, test.start)
		}
	}
	if at, ok := f.DataSymbol("_datum"); !ok || at != base+0x2010 {
		t.Errorf("_datum is at %#x, %v", at, ok)
	}
	if at, ok := f.DataSymbol("_malloc"); ok {
		t.Errorf("_malloc is undefined, not at %#x", at)
	}
	if name, v := f.InstallName(); name != "/usr/lib/libfake.dylib" || v.String() != "1.2.3" {
		t.Errorf("install name %q, version %v", name, v)
	}
	if !f.HasSymbols() || string(f.ID()) != "0123456789abcdef" || f.Type() != Dylib {
		t.Errorf("symbols %v, id %x, type %v", f.HasSymbols(), f.ID(), f.Type())
	}
	if text, ok := f.TextVMAddr(); text != base || !ok {
		t.Errorf("__TEXT at %#x", text)
	}
	checkSynthesizedCode(t, f)
}

func checkSynthesizedCode(t *testing.T, f *File) {
	t.Helper()
	code := make([]byte, 4)
	if n, err := f.ReadCode(code, base+machotest.Text2); n != 4 || err != nil || !bytes.Equal(code, []byte{0, 1, 2, 3}) {
		t.Errorf("code % x, %d, %v", code, n, err)
	}
	if n, err := f.ReadCode(code, base-2); n != 0 || err == nil {
		t.Errorf("%d bytes, %v below the image", n, err)
	}
	s, err := f.SectionData("__TEXT", "__text2")
	if err != nil || len(s.Data) != machotest.TextSize || s.VMAddr != base+machotest.Text2 || s.Data[5] != 5 {
		t.Errorf("__text2: %d bytes at %#x, %v", len(s.Data), s.VMAddr, err)
	}
	if _, err := f.Section(object.UnwindInfo); !errors.Is(err, object.ErrNoSection) {
		t.Errorf("__unwind_info: %v", err)
	}
}

var layouts = []struct {
	name  string
	order binary.ByteOrder
	is64  bool
	cpu   uint32
	arch  task.Arch
}{
	{"x86_64", binary.LittleEndian, true, cpuX86_64, task.AMD64},
	{"arm64", binary.LittleEndian, true, cpuARM64, task.ARM64},
	{"i386", binary.LittleEndian, false, cpuX86, task.I386},
	{"cpu 18/0", binary.BigEndian, false, 18, task.UnknownArch},              // PowerPC
	{"cpu 16777234/0", binary.BigEndian, true, 18 | cpu64, task.UnknownArch}, // and of 64 bits
}

func TestSymbolsOfFile(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			b := synthetic(l.order, l.is64, l.cpu).Encode()
			f, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{Arch: l.arch})
			if err != nil {
				t.Fatal(err)
			}
			if f.Arch() != l.arch || f.Variant() != l.name || f.Slide() != 0 {
				t.Errorf("arch %v, variant %q, slide %#x", f.Arch(), f.Variant(), f.Slide())
			}
			checkSynthetic(t, f)
		})
	}
}

// uleb128 of distances, as LC_FUNCTION_STARTS has them.
func startsOf(deltas ...uint64) []byte {
	var b []byte
	for _, d := range deltas {
		b = binary.AppendUvarint(b, d)
	}
	return append(b, 0)
}

// TestFunctionStarts: an address in a function without a symbol is not given
// to the one before, and a label that begins a function may name it.
func TestFunctionStarts(t *testing.T) {
	im := synthetic(nil, true, cpuARM64)
	im.Starts = startsOf(machotest.Text, 0x20, 0x10, 0x10, 0x30, machotest.Text2-machotest.Text-0x70)
	b := im.Encode()
	f, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{})
	if err != nil {
		t.Fatal(err)
	}
	const text = base + machotest.Text
	for _, test := range []struct {
		at    uint64
		name  string
		start uint64
	}{
		{text + 0x1f, "first", text},
		{text + 0x28, "local", text + 0x20},
		{text + 0x38, "", text + 0x30}, // not "local"
		{text + 0x48, "_ZN3foo3barEv", text + 0x40},
		{text + 0x78, "LBB0_1", text + 0x70},
		{base + machotest.Text2 + 4, "", base + machotest.Text2},
		{base + machotest.Text2 + 0x14, "second", base + machotest.Text2},
	} {
		sym, ok := f.Symbol(test.at)
		start, _ := f.FunctionStart(test.at)
		if sym.Name != test.name && ok || ok != (test.name != "") || start != test.start {
			t.Errorf("%#x: got %+v, %v, start %#x; want %q, %#x", test.at, sym, ok, start, test.name, test.start)
		}
	}
}

func TestThumb(t *testing.T) {
	im := &machotest.Image{CPU: cpuARM, Subtype: 11, Type: uint32(Execute), Base: base, Symbols: []machotest.Symbol{
		{Name: "_thumb", Type: ext, Sect: 1, Desc: 8, Value: base + machotest.Text},
		{Name: "_odd", Type: ext, Sect: 1, Desc: 8, Value: base + machotest.Text + 0x11},
	}, Starts: startsOf(machotest.Text+1, 0x10)}
	b := im.Encode()
	f, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{Arch: task.ARM})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[uint64]object.Symbol{
		base + machotest.Text:        {Name: "thumb", VMAddr: base + machotest.Text},
		base + machotest.Text + 1:    {Name: "thumb", VMAddr: base + machotest.Text},
		base + machotest.Text + 0x10: {Name: "odd", VMAddr: base + machotest.Text + 0x10},
		base + machotest.Text + 0x11: {Name: "odd", VMAddr: base + machotest.Text + 0x10},
	} {
		if sym, ok := f.Symbol(at); !ok || sym != want {
			t.Errorf("%#x: got %+v, %v; want %+v", at, sym, ok, want)
		}
	}
	if f.Variant() != "armv7s" {
		t.Errorf("variant %q", f.Variant())
	}
}

// TestThumbByStarts: the lowest bit of a listed start says which code it is.
func TestThumbByStarts(t *testing.T) {
	im := &machotest.Image{CPU: cpuARM, Type: uint32(Execute), Base: base, Starts: startsOf(machotest.Text+1, 0xf, 0x11)}
	b := im.Encode()
	f, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{Arch: task.ARM})
	if err != nil {
		t.Fatal(err)
	}
	const text = base + machotest.Text
	for at, want := range map[uint64]struct {
		start        uint64
		thumb, known bool
	}{
		text - 1:    {},
		text:        {text, true, true},
		text + 1:    {text, true, true},
		text + 0xe:  {text, true, true},
		text + 0x10: {text + 0x10, false, true},
		text + 0x1e: {text + 0x10, false, true},
		text + 0x20: {text + 0x20, true, true},
		text + 0x2e: {text + 0x20, true, true},
	} {
		start, _ := f.FunctionStart(at)
		thumb, known := f.Thumb(at)
		if start != want.start || known != want.known || thumb != want.thumb {
			t.Errorf("%#x: start %#x, thumb %t, known %t", at, start, thumb, known)
		}
	}
}

func TestFat(t *testing.T) {
	arm, armE, intel := synthetic(nil, true, cpuARM64), synthetic(nil, true, cpuARM64), synthetic(nil, true, cpuX86_64)
	armE.Subtype, armE.UUID = subtypeARM64E|0x80000000, []byte("an arm64e UUID!!")
	intel.UUID = nil
	for _, is64 := range []bool{false, true} {
		b := machotest.Fat(is64, intel.Encode(), arm.Encode(), armE.Encode())
		for _, test := range []struct {
			want    Want
			variant string
		}{
			{Want{}, "x86_64"},
			{Want{Arch: task.AMD64}, "x86_64"},
			{Want{Arch: task.ARM64}, "arm64"},
			{Want{Arch: task.ARM64, ID: armE.UUID}, "arm64e"},
			{Want{ID: armE.UUID}, "arm64e"},
			{Want{Arch: task.ARM}, ""},
			{Want{Arch: task.AMD64, ID: armE.UUID}, ""},
		} {
			f, err := NewFile(bytes.NewReader(b), int64(len(b)), test.want)
			if test.variant == "" {
				if !errors.Is(err, ErrNoSlice) {
					t.Errorf("%v: got %v", test.want, err)
				}
				continue
			}
			if err != nil || f.Variant() != test.variant {
				t.Fatalf("%v: got %v; want %s", test.want, err, test.variant)
			}
			if sym, ok := f.Symbol(base + machotest.Text); !ok || sym.Name != "first" {
				t.Errorf("%v: %+v, %v", test.want, sym, ok)
			}
		}
		cut := b[:0x2000] // the first slice is damaged, and the others are gone
		if f, err := NewFile(bytes.NewReader(cut), int64(len(cut)), Want{}); err == nil {
			t.Errorf("a cut file opened: %v", f.Variant())
		}
	}
}

func TestOpen(t *testing.T) {
	f, err := Open("testdata/main.x86_64", Want{Arch: task.AMD64})
	if err != nil {
		t.Fatal(err)
	}
	sym, ok := f.Symbol(0x100000631)
	if !ok || sym.Name != "main" {
		t.Errorf("got %+v, %v", sym, ok)
	}
	if b := f.Build(); b.Platform != 1 || b.MinOS == 0 {
		t.Errorf("built for %+v", b)
	}
	for _, kind := range []object.Kind{object.EHFrame, object.UnwindInfo} {
		if s, err := f.Section(kind); err != nil || len(s.Data) == 0 {
			t.Errorf("section %d: %d bytes, %v", kind, len(s.Data), err)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Open("testdata", Want{}); err == nil {
		t.Error("opened a folder")
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), Want{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	var format *FormatError
	if _, err := Open("testdata/fixture.c", Want{}); !errors.As(err, &format) {
		t.Errorf("opened a C file: %v", err)
	}
}

// TestSectionAtTheTop: a section that passes the end of the address space does
// not come in again from below.
func TestSectionAtTheTop(t *testing.T) {
	s := Section{VMAddr: ^uint64(0) - 1, Size: 100}
	if s.Contains(0) || !s.Contains(^uint64(0)) {
		t.Error("the section wraps")
	}
}

func TestInflate(t *testing.T) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write([]byte("call frame information"))
	w.Close()
	section := func(size uint64) []byte {
		return append(binary.BigEndian.AppendUint64([]byte("ZLIB"), size), z.Bytes()...)
	}
	if b, err := new(File).inflate(section(22)); err != nil || string(b) != "call frame information" {
		t.Errorf("got %q, %v", b, err)
	}
	for name, b := range map[string][]byte{
		"empty": nil, "not ZLIB": make([]byte, 20), "shorter than it says": section(23),
		"too large": section(1 << 60), "not zlib": append(section(22)[:12], "xxxxxxx"...),
	} {
		if b, err := new(File).inflate(b); !errors.Is(err, object.ErrNoSection) {
			t.Errorf("%s: got %q, %v", name, b, err)
		}
	}
}
