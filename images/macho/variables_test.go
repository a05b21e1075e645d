package macho

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/object"
	"stacksnap/task"
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

// goVariables are of Go's runtime: in sections with zeros and with data.
var goVariables = []string{"runtime.allglen", "runtime.allgptr", "runtime.buildVersion", "runtime.waitReasonStrings"}

// TestSymbolsOfGo finds variables of Go's runtime where Go's nm lists them, in a file, in
// memory with a slide, and in memory whose file has what is not mapped; none in a stripped file.
func TestSymbolsOfGo(t *testing.T) {
	for goarch, arch := range map[string]task.Arch{"amd64": task.AMD64, "arm64": task.ARM64} {
		for _, flags := range []string{"", "-w", "-s"} {
			t.Run(goarch+flags, func(t *testing.T) {
				program := buildGoWith(t, goarch, flags)
				want := listedByNM(t, program)
				if (want[0].Name == "") != (flags == "-s") {
					t.Fatalf("nm lists %+v", want)
				}
				file := newTestFile(t, program, Want{Arch: arch})
				m := &machotest.Memory{}
				m.Map(t, program, load)
				image, err := FromMemory(m, load, nil)
				if err != nil {
					t.Fatal(err)
				}
				bare, err := FromMemory(withoutSymbols(t, program), load, func(Want) (*File, error) { return file, nil })
				if err != nil {
					t.Fatal(err)
				}
				for name, f := range map[string]*File{"file": file, "memory": image, "memory without symbols": bare} {
					if got := f.SymbolsOf(goVariables...); !slices.Equal(got, want) {
						t.Errorf("%s: %+v, want %+v", name, got, want)
					}
				}
			})
		}
	}
}

// withoutSymbols maps a program whose symbol table is not readable.
func withoutSymbols(t *testing.T, program []byte) *machotest.Memory {
	t.Helper()
	m := &machotest.Memory{}
	slide := m.Map(t, program, load)
	f := newTestFile(t, program, Want{})
	linkedit, ok := f.segment("__LINKEDIT")
	if !ok {
		t.Fatal("no __LINKEDIT")
	}
	m.Remove(task.Addr(linkedit.VMAddr + slide))
	return m
}

// listedByNM returns the variables as Go's own reader has them, with their sizes; empty ones for a
// stripped program.
func listedByNM(t *testing.T, program []byte) []object.Symbol {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, program, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "nm", "-size", path).CombinedOutput()
	found := make([]object.Symbol, len(goVariables))
	if bytes.Contains(out, []byte("no symbol")) {
		return found
	}
	if err != nil {
		t.Fatalf("go tool nm: %v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		var s object.Symbol
		var kind string
		if n, _ := fmt.Sscanf(line, "%x %d %s %s", &s.VMAddr, &s.Size, &kind, &s.Name); n == 4 {
			if i := slices.Index(goVariables, s.Name); i >= 0 {
				found[i] = s
			}
		}
	}
	return found
}

// TestSymbolsOfVariables: names of C have an underscore before them, a function or an undefined
// symbol is no variable, and what the image lacks is looked up in its file.
func TestSymbolsOfVariables(t *testing.T) {
	const data = base + machotest.Data
	id := bytes.Repeat([]byte{7}, 16)
	encode := func(symbols ...machotest.Symbol) []byte {
		im := &machotest.Image{Is64: true, CPU: cpuX86_64, Type: uint32(Execute), Base: base, UUID: id, Symbols: symbols}
		return im.Encode()
	}
	first := machotest.Symbol{Name: "_runtime.first", Type: ext, Sect: 4, Value: data + 0x40}
	whole := encode(
		first,
		machotest.Symbol{Name: "runtime.second", Type: nSect, Sect: 4, Value: data + 0x60},
		machotest.Symbol{Name: "_code", Type: ext, Sect: 1, Value: base + machotest.Text},
		machotest.Symbol{Name: "_undefined", Type: nExt, Value: data + 0x80},
		machotest.Symbol{Name: "_outside", Type: ext, Sect: 4, Value: data - 8},
	)
	names := []string{"runtime.second", "runtime.first", "code", "undefined", "outside", "_runtime.first"}
	file := newTestFile(t, whole, Want{})
	end := file.sections[3].VMAddr + file.sections[3].Size
	want := []object.Symbol{
		{Name: "runtime.second", VMAddr: data + 0x60, Size: end - data - 0x60}, {Name: "runtime.first", VMAddr: data + 0x40, Size: 0x20},
		{}, {}, {}, {},
	}
	if got := file.SymbolsOf(names[:5]...); !slices.Equal(got, want[:5]) {
		t.Errorf("%+v, want %+v", got, want)
	}
	want[5], want[1] = want[1], object.Symbol{}
	want[5].Name = "_runtime.first"
	if got := file.SymbolsOf("_runtime.first"); !slices.Equal(got, want[5:]) {
		t.Errorf("by the name in the table: %+v, want %+v", got, want[5:])
	}

	m := &machotest.Memory{}
	m.Map(t, encode(first), load)
	image, err := FromMemory(m, load, func(Want) (*File, error) { return newTestFile(t, whole, Want{}), nil })
	if err != nil {
		t.Fatal(err)
	}
	got := image.SymbolsOf("runtime.first", "runtime.second")
	if got[0].VMAddr != data+0x40 || got[1].VMAddr != data+0x60 {
		t.Errorf("in memory, with its file: %+v", got)
	}
}
