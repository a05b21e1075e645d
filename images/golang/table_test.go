package golang

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/damage"
)

// makers are one of each layout, way of inlined calls, byte order and pointer size.
func makers() map[string]*maker {
	all := map[string]*maker{}
	for version, list := range schemes() {
		for i, s := range list {
			for _, word := range []int{4, 8} {
				for _, arch := range []task.Arch{task.AMD64, task.UnknownArch} {
					m := &maker{version: version, scheme: s, order: binary.LittleEndian, word: word, arch: arch}
					if all[fmt.Sprintf("%d.%d, %d bytes, %v", version, i, word, arch)] = m; arch == task.UnknownArch {
						big := *m
						big.order = binary.BigEndian
						all[fmt.Sprintf("%d.%d, %d bytes, big-endian", version, i, word)] = &big
					}
				}
			}
		}
	}
	return all
}

var functions = []string{"runtime.text", "main.main", "main.deep"}

func TestMadeUpTables(t *testing.T) {
	for name, m := range makers() {
		t.Run(name, func(t *testing.T) {
			table := Open(m.file(functions...))
			if table == nil {
				t.Fatal("not opened")
			}
			wantSymbols(t, table)
			wantSources(t, table)
			want := []object.Symbol{{Name: "main.deep", VMAddr: textAt + 0x80, Size: codeEnd}, {}}
			if got := table.Functions("main.deep", "main.none"); !slices.Equal(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func wantSymbols(t *testing.T, table *Table) {
	t.Helper()
	for vmaddr, want := range map[uint64]string{
		textAt - 1: "", textAt: "runtime.text", textAt + 0x37: "runtime.text", textAt + 0x38: "", textAt + 0x40: "main.main",
		textAt + 0xb7: "main.deep", textAt + 0xb8: "", textAt + 0xc0: "", ^uint64(0): "",
	} {
		s, ok := table.Symbol(vmaddr)
		if s.Name != want || ok != (want != "") || ok && (s.VMAddr != vmaddr&^0x3f || s.Size != codeEnd) {
			t.Errorf("%#x: %+v, %v, want %q", vmaddr, s, ok, want)
		}
	}
}

func wantSources(t *testing.T, table *Table) {
	t.Helper()
	at := func(function string, line int) object.Source {
		return object.Source{Function: function, File: "/src/a.go", Line: line}
	}
	outermost := func(line int) object.Source {
		s := at("main.main", line)
		s.Low, s.High = textAt+0x40, textAt+0x78
		return s
	}
	for vmaddr, want := range map[uint64][]object.Source{
		textAt + 0x40: {outermost(10)},
		textAt + 0x5f: {at("inlined.outer", 20), outermost(10)},
		textAt + 0x60: {at("inlined.inner", 30), at("inlined.outer", 20), outermost(10)},
		textAt + 0x77: {outermost(40)},
		textAt + 0x78: nil,
	} {
		if got := table.Source(vmaddr); !slices.Equal(got, want) {
			t.Errorf("%#x: %+v, want %+v", vmaddr, got, want)
		}
	}
}

// TestWithoutModule tells no line where it might be that of an inlined call.
func TestWithoutModule(t *testing.T) {
	m := &maker{version: go120, scheme: schemes()[go120][0], order: binary.LittleEndian, word: 8, arch: task.AMD64}
	data, f := m.file(functions...)
	f.Data = nil
	if Open(data, f) != nil {
		t.Error("a start was found that nobody told")
	}
	f.Starts = []uint64{textAt + 0x10, 0x400000, textAt}
	table := Open(data, f)
	wantSymbols(t, table)
	for vmaddr, line := range map[uint64]int{textAt: 10, textAt + 0x10: 0, textAt + 0x20: 0, textAt + 0x30: 40} {
		if got := table.Source(vmaddr); len(got) != 1 || got[0].Line != line || got[0].Function != "runtime.text" || (got[0].File == "") != (line == 0) {
			t.Errorf("%#x: %+v, want line %d", vmaddr, got, line)
		}
	}
	symbols := map[string]uint64{"main.deep": textAt + 0x80, "main.other": 1}
	f.Starts, f.Symbols = nil, func() map[string]uint64 { return symbols }
	if Open(data, f) == nil {
		t.Error("not found by a symbol that the file has")
	}
	symbols["main.deep"]++
	if Open(data, f) != nil {
		t.Error("a wrong symbol was believed")
	}
}

// TestPointers reads a table as a loader has left it in memory.
func TestPointers(t *testing.T) {
	const slide = 0x7000_0000
	for version, list := range schemes() {
		m := &maker{version: version, scheme: list[0], order: binary.LittleEndian, word: 8, arch: task.AMD64}
		data, f := m.file(functions...)
		f.Pointers = []func(uint64) uint64{
			func(p uint64) uint64 { return p + slide }, func(p uint64) uint64 { return p },
		}
		table := Open(data, f)
		if table == nil {
			t.Errorf("%d: not opened", version)
			continue
		}
		wantSymbols(t, table)
		wantSources(t, table)
	}
}

// TestEndlessCalls ends with inlined calls that have each other as callers.
func TestEndlessCalls(t *testing.T) {
	m := &maker{version: go120, scheme: schemes()[go120][0], order: binary.LittleEndian, word: 8, arch: task.AMD64}
	data, f := m.file(functions...)
	table := Open(data, f)
	table.Source(textAt) // what was proven stays
	m.order.PutUint32(m.tree[m.parentPC:], 0x28)
	_, table.of = m.file(functions...)
	inner := table.of.Code
	table.of.Code = func(p []byte, vmaddr uint64) (int, error) {
		n, err := inner(p, vmaddr)
		if vmaddr >= treeAt {
			m.order.PutUint32(p[m.parentPC:], 0x28) // of the innermost
		}
		return n, err
	}
	got := table.Source(textAt + 0x28)
	if len(got) != 1 || got[0].Line != 0 || got[0].Function != "runtime.text" {
		t.Errorf("%d frames, the last %+v", len(got), got[len(got)-1])
	}
}

// ask asks a table everything.
func ask(data []byte, f File) {
	table := Open(data, f)
	for v := uint64(textAt - 8); v < textAt+0x110; v += 8 {
		table.Symbol(v)
		table.Source(v)
	}
}

// Nothing panics on files that were cut or changed.
func TestDamagedTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, m := range makers() {
		data, f := m.file(functions...)
		for range 400 {
			bad, g := damage.Copy(r, data), f
			ask(bad, g)
			damaged := damage.Copy(r, m.tree)
			g.Code = func(p []byte, vmaddr uint64) (int, error) {
				if vmaddr < treeAt+padding || vmaddr-treeAt-padding > uint64(len(damaged)) {
					return f.Code(p, vmaddr)
				}
				return copy(p, damaged[vmaddr-treeAt-padding:]), nil
			}
			ask(data, g)
		}
	}
}

func FuzzTable(f *testing.F) {
	for i := range len(makers()) {
		f.Add(uint8(i), []byte(nil))
	}
	all := makers()
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		m := *all[names[int(which)%len(names)]]
		data, file := m.file(functions...)
		ask(damage.Edit(data, edits), file)
	})
}
