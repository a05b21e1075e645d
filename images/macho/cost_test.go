package macho

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/object"
	"stacksnap/task"
)

// limited opens an image with symbols, stubs and function starts, on a budget.
func limited(t *testing.T, b *object.Budget) *File {
	t.Helper()
	im := synthetic(nil, true, cpuARM64)
	im.Starts = startsOf(machotest.Text, 0x20, 0x20)
	im.DataInCode = dataOf(machotest.Text, 8, machotest.Text+0x20, 4)
	file := im.Encode()
	f, err := NewFile(bytes.NewReader(file), int64(len(file)), Want{})
	if err != nil {
		t.Fatal(err)
	}
	f.Limit(b)
	return f
}

// TestTablesBeyondTheBudget are left out, each whole, by one byte; and a file that is
// closed gives back what it had.
func TestTablesBeyondTheBudget(t *testing.T) {
	for name, has := range map[string]func(*File) bool{
		"symbols":         func(f *File) bool { return f.HasSymbols() },
		"function starts": func(f *File) bool { return f.starts() != nil },
		"data in code":    func(f *File) bool { return f.dataRanges() != nil },
		"a section":       func(f *File) bool { _, err := f.SectionData("", "__text"); return !errors.Is(err, object.ErrBudget) },
		"indirect":        func(f *File) bool { return f.indirects() != nil },
	} {
		const much = 1 << 20
		b := object.NewBudget(much, much)
		f := limited(t, b)
		if !has(f) || b.Reached() {
			t.Fatalf("%s: not there", name)
		}
		kept, read := f.cost.kept.Load(), f.cost.read.Load()
		if kept == 0 {
			t.Errorf("%s cost nothing", name)
		}
		if f.Close() != nil || !b.Keep(much) || !b.Read(much) {
			t.Errorf("%s: a closed file has not given back what it had", name)
		}
		most := kept
		switch name { // bytes that are kept as long as they are read
		case "function starts":
			most += int64(f.functionStarts.size)
		case "data in code":
			most += int64(f.dataInCode.size)
		}
		if b = object.NewBudget(most, read); !has(limited(t, b)) || b.Reached() {
			t.Errorf("%s: %d bytes do not suffice", name, most)
		}
		f, b = limited(t, object.NewBudget(most-1, read)), nil
		if has(f) || !f.cost.budget.Reached() {
			t.Errorf("%s: there with %d bytes", name, most-1)
		}
		if got := f.cost.kept.Load(); name != "symbols" && got != 0 { // of those the stubs' are left
			t.Errorf("%s: %d bytes are not given back", name, got)
		}
		if read > 0 {
			if f := limited(t, object.NewBudget(most, read-1)); has(f) {
				t.Errorf("%s: there with %d bytes to read", name, read-1)
			}
		}
	}
}

// TestNamesBeyondTheBudget are right, and not kept.
func TestNamesBeyondTheBudget(t *testing.T) {
	b := object.NewBudget(1<<20, 1<<20)
	f := limited(t, b)
	f.HasSymbols()
	b.Keep(uint64(1<<20 - f.cost.kept.Load()))
	if s, ok := f.Symbol(base + machotest.Text + 0x45); !ok || s.Name != "_ZN3foo3barEv" || len(f.symtab().names.pages) != 0 {
		t.Errorf("%+v, %v, %d pages", s, ok, len(f.symtab().names.pages))
	}
}

// emptiness is any amount of readable memory behind an image.
type emptiness struct {
	image []byte
	read  int
}

func (m *emptiness) ReadMemory(p []byte, a task.Addr) (int, error) {
	clear(p)
	if a >= load && a-load < task.Addr(len(m.image)) {
		copy(p, m.image[a-load:])
	}
	m.read += len(p)
	return len(p), nil
}

// TestSparseTables of two images in a process, with four billion symbols each, are
// read as far as both may together, and nothing of them is kept.
func TestSparseTables(t *testing.T) {
	m := &emptiness{image: synthetic(nil, true, cpuARM64).Encode()}
	const most = 8 << 20
	b := object.NewBudget(1<<40, most)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 2 {
		f, err := FromMemory(m, load, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.Limit(b)
		f.src.(*memorySource).linkedit.FileSize = 1 << 40
		f.nsyms, f.nlists.size = 1<<32-1, (1<<32-1)*16
		if f.HasSymbols() || !b.Reached() {
			t.Error("they were read")
		}
	}
	runtime.ReadMemStats(&after)
	if m.read > most+1<<20 || after.TotalAlloc-before.TotalAlloc > most/2 {
		t.Errorf("%d bytes read, %d allocated", m.read, after.TotalAlloc-before.TotalAlloc)
	}
}

// TestOwnFileSharesTheBudget with the image in memory.
func TestOwnFileSharesTheBudget(t *testing.T) {
	im := synthetic(nil, true, cpuARM64)
	file := im.Encode()
	im.Symbols = nil
	f, err := FromMemory(loaded(t, im), load, func(want Want) (*File, error) {
		return NewFile(bytes.NewReader(file), int64(len(file)), want)
	})
	if err != nil {
		t.Fatal(err)
	}
	b := object.NewBudget(1<<20, 0)
	f.Limit(b)
	if f.HasSymbols() || !b.Reached() {
		t.Error("the symbols of the file cost nothing")
	}
}

// TestManySymbols are all found, of those that are read in several pieces, too.
func TestManySymbols(t *testing.T) {
	im := &machotest.Image{Is64: true, CPU: cpuARM64, Type: uint32(Dylib), Base: base}
	const n = machotest.TextSize
	for i := range n {
		im.Symbols = append(im.Symbols, machotest.Symbol{Name: fmt.Sprint("_f", i), Type: ext, Sect: 1, Value: base + machotest.Text + uint64(i)})
	}
	im.Indirect = []uint32{n - 1, 255, 256, 0}
	file := im.Encode()
	f, err := NewFile(bytes.NewReader(file), int64(len(file)), Want{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if s, ok := f.Symbol(base + machotest.Text + uint64(i)); !ok || s.Name != fmt.Sprint("f", i) {
			t.Fatalf("symbol %d is %+v, %v", i, s, ok)
		}
	}
	for i, want := range im.Indirect {
		if s, ok := f.Symbol(base + machotest.Stubs + uint64(i)*machotest.StubSize); !ok || s.Name != fmt.Sprint("DYLD-STUB$$f", want) {
			t.Errorf("stub %d is %+v, %v", i, s, ok)
		}
	}
}
