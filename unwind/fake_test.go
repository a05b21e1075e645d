package unwind

import (
	"encoding/binary"
	"slices"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// fakeFile is a file with functions every 0x100 bytes, and sections and names
// as told.
type fakeFile struct {
	arch     task.Arch
	segments []object.Segment
	sections map[object.Kind]object.Section
	names    map[uint64]string // by start
	noStarts bool
}

func (f *fakeFile) Arch() task.Arch            { return f.arch }
func (f *fakeFile) ID() []byte                 { return nil }
func (f *fakeFile) Segments() []object.Segment { return f.segments }
func (f *fakeFile) HasSymbols() bool           { return len(f.names) > 0 }
func (f *fakeFile) Close() error               { return nil }

func (f *fakeFile) Symbol(v uint64) (object.Symbol, bool) {
	name, ok := f.names[v&^0xff]
	return object.Symbol{Name: name, VMAddr: v &^ 0xff, Size: 0x100}, ok
}

func (f *fakeFile) FunctionStart(v uint64) (uint64, bool) { return v &^ 0xff, !f.noStarts }

func (f *fakeFile) Section(k object.Kind) (object.Section, error) {
	s, ok := f.sections[k]
	if !ok {
		return s, object.ErrNoSection
	}
	return s, nil
}

// The one image of the tests: code in [codeBase, codeEnd), data above it.
const (
	codeBase = 0x10000
	codeEnd  = 0x20000
	dataEnd  = 0x30000
)

// Its last functions are outermost ones.
func newFake(a task.Arch) *fakeFile {
	names := map[uint64]string{outer &^ 0xff: "_start", codeEnd - 0x100: "_start"}
	return &fakeFile{arch: a, names: names, segments: []object.Segment{
		{VMAddr: codeBase, Size: codeEnd - codeBase, Prot: task.Read | task.Execute},
		{VMAddr: codeEnd, Size: dataEnd - codeEnd, Prot: task.Read | task.Write},
	}}
}

func mapOf(f *fakeFile) *images.Map {
	return images.NewMap([]object.Placed{{Path: "/fake", Load: codeBase, File: f}})
}

// outer is an address in an outermost function.
const outer = 0x1f320

// stackBase is where the tests' stacks begin.
const stackBase = 0x7000_0000

// stacked returns a thread at pc whose stack holds words, sp at the first.
func stacked(a task.Arch, pc, fp uint64, words ...uint64) *task.Thread {
	t := &task.Thread{Stacks: []task.Stack{rangeOf(a, stackBase, words...)}}
	t.Stacks[0].Top = t.Stacks[0].End()
	t.Registers.Arch = a
	t.Registers.Set(a.PC(), pc)
	t.Registers.Set(a.SP(), stackBase)
	t.Registers.Set(a.FP(), fp)
	return t
}

func rangeOf(a task.Arch, base task.Addr, words ...uint64) task.Stack {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
		b = b[:len(b)-8+a.PointerSize()]
	}
	return task.Stack{Base: base, Bytes: b}
}

// bytesAt is memory that has bytes at one address.
type bytesAt struct {
	at task.Addr
	b  []byte
}

func (m bytesAt) ReadMemory(p []byte, a task.Addr) (int, error) {
	if a < m.at || a >= m.at+task.Addr(len(m.b)) {
		return 0, &task.FaultError{Addr: a}
	}
	n := copy(p, m.b[a-m.at:])
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n)}
	}
	return n, nil
}

// words is bytesAt of pointers.
func words(a task.Arch, at task.Addr, w ...uint64) bytesAt {
	return bytesAt{at, slices.Clone(rangeOf(a, at, w...).Bytes)}
}

func pcs(frames []Frame) []uint64 {
	var out []uint64
	for _, f := range frames {
		out = append(out, uint64(f.PC))
	}
	return out
}
