package macho

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/object"
	"stacksnap/task"
)

const load = 0x7f00_0000

// loaded maps an encoded image into a memory of its own.
func loaded(t *testing.T, im *machotest.Image) *machotest.Memory {
	t.Helper()
	m := &machotest.Memory{}
	m.Map(t, im.Encode(), load)
	return m
}

func TestSymbolsInMemory(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			f, err := FromMemory(loaded(t, synthetic(l.order, l.is64, l.cpu)), load, nil)
			if err != nil {
				t.Fatal(err)
			}
			if f.Slide() != load-base {
				t.Errorf("slide %#x", f.Slide())
			}
			checkSynthetic(t, f)
		})
	}
}

// TestAfterExit: what was read before the target went away stays.
func TestAfterExit(t *testing.T) {
	m := loaded(t, synthetic(nil, true, cpuARM64))
	f, err := FromMemory(m, load, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Symbol(base + machotest.Text)
	f.Symbol(base + machotest.Stubs)
	if _, err := f.SectionData("", "__text"); err != nil {
		t.Fatal(err)
	}
	*m = machotest.Memory{}
	if sym, ok := f.Symbol(base + machotest.Text + 0x45); !ok || sym.Name != "_ZN3foo3barEv" {
		t.Errorf("got %+v, %v", sym, ok)
	}
	if sym, ok := f.Symbol(base + machotest.Stubs + 12); !ok || sym.Name != "DYLD-STUB$$free" {
		t.Errorf("got %+v, %v", sym, ok)
	}
	if s, err := f.SectionData("", "__text"); err != nil || len(s.Data) != machotest.TextSize {
		t.Error(err)
	}
	if _, err := f.SectionData("", "__text2"); !errors.Is(err, object.ErrNoSection) {
		t.Errorf("a section that was not read before: %v", err)
	}
	if m.Reads > 4 {
		t.Errorf("%d reads of a dead target", m.Reads)
	}
}

// TestSymbolsFromDisk: the file serves when __LINKEDIT cannot be read, and
// only the same file.
func TestSymbolsFromDisk(t *testing.T) {
	im := synthetic(nil, true, cpuARM64)
	m := loaded(t, im)
	m.Remove(load + machotest.LinkEdit)
	im.Base -= 0x1000 // the shared cache has images at other vmaddrs than their files
	for i := range im.Symbols {
		im.Symbols[i].Value -= 0x1000
	}
	b := im.Encode()
	asked := 0
	opener := func(want Want) (*File, error) {
		asked++
		if want.Arch != task.ARM64 || !bytes.Equal(want.ID, im.UUID) {
			t.Errorf("wants %v", want)
		}
		return NewFile(bytes.NewReader(b), int64(len(b)), Want{})
	}
	f, err := FromMemory(m, load, opener)
	if err != nil {
		t.Fatal(err)
	}
	checkSynthetic(t, f)
	if asked != 1 {
		t.Errorf("opened %d times", asked)
	}

	im.UUID = []byte("of another build")
	b = im.Encode()
	f, err = FromMemory(m, load, func(Want) (*File, error) { return NewFile(bytes.NewReader(b), int64(len(b)), Want{}) })
	if err != nil {
		t.Fatal(err)
	}
	if sym, ok := f.Symbol(base + machotest.Text); ok || f.HasSymbols() {
		t.Errorf("took %+v from another file", sym)
	}
}

// TestRealFiles: an image in memory answers as its file does.
func TestRealFiles(t *testing.T) {
	for _, path := range oracleFiles(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(b, []byte{0xca, 0xfe, 0xba, 0xbe}) {
			continue // a loader maps one slice
		}
		file := openOracle(t, path)
		m := &machotest.Memory{}
		m.Map(t, b, load)
		mem, err := FromMemory(m, load, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(mem.ID(), file.ID()) || mem.Type() != file.Type() {
			t.Errorf("%s: another file in memory", path)
		}
		n := 0
		for _, s := range file.Sections() {
			for at := s.VMAddr; at < s.VMAddr+s.Size; at += max(1, s.Size/5000) {
				want, wantOK := file.Symbol(at)
				if got, ok := mem.Symbol(at); got != want || ok != wantOK {
					t.Fatalf("%s: %#x: %+v in memory, %+v in the file", path, at, got, want)
				}
				n++
			}
		}
		for _, kind := range []object.Kind{object.EHFrame, object.UnwindInfo} {
			want, _ := file.Section(kind)
			if got, _ := mem.Section(kind); !bytes.Equal(got.Data, want.Data) {
				t.Errorf("%s: section %d differs", path, kind)
			}
		}
		t.Logf("%s: %d addresses, %d reads", path, n, m.Reads)
	}
}

func TestBadMemory(t *testing.T) {
	image := synthetic(nil, true, cpuARM64).Encode()
	for name, spoil := range map[string]func([]byte) []byte{
		"nothing":           func(b []byte) []byte { return nil },
		"half a header":     func(b []byte) []byte { return b[:20] },
		"no magic":          func(b []byte) []byte { b[0] = 0; return b },
		"huge sizeofcmds":   func(b []byte) []byte { b[23] = 0x7f; return b },
		"cut commands":      func(b []byte) []byte { return b[:200] },
		"a command of 0":    func(b []byte) []byte { copy(b[36:], make([]byte, 4)); return b },
		"a huge command":    func(b []byte) []byte { b[38] = 0xff; return b },
		"too many sections": func(b []byte) []byte { b[32+64] = 0xff; return b },
		"no segments":       func(b []byte) []byte { copy(b[16:], make([]byte, 8)); return b },
	} {
		m := &machotest.Memory{}
		m.Add(load, spoil(bytes.Clone(image)))
		if f, err := FromMemory(m, load, nil); err == nil {
			t.Errorf("%s: opened %v", name, f.Type())
		}
	}
}

// TestHugeSizes: sizes that are not true cost neither memory nor time.
func TestHugeSizes(t *testing.T) {
	im := synthetic(nil, true, cpuARM64)
	m := loaded(t, im)
	f, err := FromMemory(m, load, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.nsyms, f.nlists.size = 1<<32-1, (1<<32-1)*16
	f.functionStarts.size, f.dataInCode.size = maxStarts, 1<<32-1
	f.src.(*memorySource).linkedit.FileSize = 1 << 40
	f.sections[0].Size = maxSectionData
	before := m.Reads
	if f.HasSymbols() || f.starts() != nil || f.dataRanges() != nil {
		t.Error("read symbols that are not there")
	}
	if _, err := f.SectionData("", "__text"); err == nil {
		t.Error("read a section that is not there")
	}
	if n := m.Reads - before; n > 5 {
		t.Errorf("%d reads", n)
	}
}

// TestMappedFile: it is taken for what was mapped only where nothing has changed
// since, and nothing in it is other than in memory.
func TestMappedFile(t *testing.T) {
	im := synthetic(nil, true, cpuARM64)
	command := func(b []byte, cmd byte) []byte { // of a little-endian file
		at := headerSize64
		for b[at] != cmd {
			at += int(binary.LittleEndian.Uint32(b[at+4:]))
		}
		return b[at:]
	}
	encrypt := func(id byte) func([]byte) []byte { // in place of the name
		return func(b []byte) []byte {
			c := command(b, lcIDDylib)
			c[0] = lcEncryption64
			copy(c[16:], []byte{id, 0, 0, 0})
			return b
		}
	}
	for name, c := range map[string]struct {
		mapped, file func([]byte) []byte
		want         bool
	}{
		"the same":            {nil, nil, true},
		"stripped since":      {nil, func(b []byte) []byte { command(b, lcSymtab)[12]--; return b }, false},
		"with another flag":   {nil, func(b []byte) []byte { b[24]++; return b }, false},
		"cut":                 {nil, func(b []byte) []byte { return b[:8] }, false},
		"of the shared cache": {func(b []byte) []byte { b[27] = 0x80; return b }, nil, false},
		"encrypted":           {encrypt(1), nil, false},
		"decrypted":           {encrypt(0), nil, true},
	} {
		b := im.Encode()
		if c.mapped != nil {
			b = c.mapped(b)
		}
		m := &machotest.Memory{}
		m.Map(t, b, load)
		disk := bytes.Clone(b)
		if c.file != nil {
			disk = c.file(disk)
		}
		f, err := FromMemory(m, load, func(want Want) (*File, error) {
			return NewFile(bytes.NewReader(disk), int64(len(disk)), want)
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := f.MappedFile(); (got != nil) != c.want {
			t.Errorf("%s: %v, want %v", name, got != nil, c.want)
		}
	}
}
