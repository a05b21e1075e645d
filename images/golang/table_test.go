package golang

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"stacksnap/task"
)

// build makes a table of functions, and their code: each calls the next.
func build(names ...string) (data, code []byte) {
	const size = 0x40
	le := binary.LittleEndian
	var strings, functab, info []byte
	functabSize := uint32(4 * (2*len(names) + 1))
	for i, name := range names {
		functab = le.AppendUint32(functab, uint32(i*size))
		functab = le.AppendUint32(functab, functabSize+uint32(len(info)))
		info = le.AppendUint32(info, uint32(i*size))
		info = le.AppendUint32(info, uint32(len(strings)))
		strings = append(append(strings, name...), 0)
		f := make([]byte, size)
		for j := 0; j < 10; j++ {
			f[5*j] = 0xe8
			le.PutUint32(f[5*j+1:], uint32(((i+1)%len(names)-i)*size-5*j-5))
		}
		code = append(code, f...)
	}
	functab = le.AppendUint32(functab, uint32(len(names)*size))
	const header = 8 + 8*8
	data = le.AppendUint32(nil, magic120)
	data = append(data, 0, 0, 1, 8)
	for _, w := range []uint64{uint64(len(names)), 0, 0, header, 0, 0, 0, header + uint64(len(strings))} {
		data = le.AppendUint64(data, w)
	}
	return append(append(append(data, strings...), functab...), info...), code
}

// at reads code that lies at a vmaddr.
func at(code []byte, base uint64) func([]byte, uint64) (int, error) {
	return func(p []byte, vmaddr uint64) (int, error) {
		if vmaddr < base || vmaddr-base >= uint64(len(code)) {
			return 0, io.ErrUnexpectedEOF
		}
		return copy(p, code[vmaddr-base:]), nil
	}
}

func TestSymbols(t *testing.T) {
	const text = 0x401230
	data, code := build("runtime.text", "main.main", "main.deep")
	f := File{Arch: task.AMD64, Code: at(code, text)}
	if Open(data, f) != nil {
		t.Error("a start was found that nobody told")
	}
	f.Starts = []uint64{text + 0x10, 0x400000, text}
	table := Open(data, f)
	for vmaddr, want := range map[uint64]string{
		text - 1: "", text: "runtime.text", text + 0x3f: "runtime.text", text + 0x40: "main.main",
		text + 0xbf: "main.deep", text + 0xc0: "", ^uint64(0): "",
	} {
		if s, ok := table.Symbol(vmaddr); s.Name != want || ok != (want != "") || ok && (vmaddr < s.VMAddr || vmaddr-s.VMAddr >= s.Size) {
			t.Errorf("%#x: %+v, %v, want %q", vmaddr, s, ok, want)
		}
	}
	f.Starts, f.Symbols = nil, map[string]uint64{"main.deep": text + 0x80, "main.other": 1}
	if Open(data, f) == nil {
		t.Error("not found by a symbol that the file has")
	}
	f.Symbols["main.deep"]++
	if Open(data, f) != nil {
		t.Error("a wrong symbol was believed")
	}
}

// Nothing panics on files that were cut or changed.
func TestDamagedTables(t *testing.T) {
	const text = 0x1000
	data, code := build("a", "b", "c", "d")
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		bad := append([]byte(nil), data[:len(data)-r.IntN(2)*r.IntN(len(data)+1)]...)
		for range r.IntN(4) {
			if len(bad) > 0 {
				bad[r.IntN(len(bad))] = byte(r.Uint32())
			}
		}
		table := Open(bad, File{Arch: task.AMD64, Code: at(code, text), Starts: []uint64{text}})
		for v := uint64(text - 8); v < text+0x110; v += 8 {
			table.Symbol(v)
		}
	}
}

// A stripped program of this Go has the same functions as one with symbols.
func TestStrippedProgram(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(1) }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for goarch, arch := range map[string]task.Arch{"amd64": task.AMD64, "arm64": task.ARM64} {
		program := filepath.Join(dir, goarch)
		cmd := exec.Command("go", "build", "-o", program, source)
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+goarch, "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("%v: %s", err, out)
		}
		compare(t, program, arch)
	}
}

func compare(t *testing.T, program string, arch task.Arch) {
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, tab := f.Section(".text"), f.Section(".gopclntab")
	data, err := tab.Data()
	if err != nil {
		t.Fatal(err)
	}
	code, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	table := Open(data, File{Arch: arch, Code: at(code, text.Addr), Starts: []uint64{text.Addr}})
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 || s.Value < text.Addr || s.Value >= text.Addr+text.Size {
			continue
		}
		compared++
		if got, ok := table.Symbol(s.Value + s.Size/2); !ok || got.VMAddr != s.Value || got.Size < s.Size {
			t.Errorf("%s: %s at %#x: %+v", arch, s.Name, s.Value, got)
		}
	}
	if compared < 100 {
		t.Errorf("%s: %d functions compared", arch, compared)
	}
}
