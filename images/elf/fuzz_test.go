package elf

import (
	"bytes"
	"path/filepath"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/damage"
)

// goodFiles are the libraries in testdata.
func goodFiles(f *testing.F) (good [][]byte) {
	names, err := filepath.Glob("testdata/*.so")
	if err != nil || len(names) == 0 {
		f.Fatal("no libraries in testdata: ", err)
	}
	for _, name := range names {
		good = append(good, readFixture(f, filepath.Base(name)))
	}
	return good
}

// exercise asks a file everything.
func exercise(f *File) {
	f.ID()
	for kind := range object.GoPCLnTab + 2 {
		_, _ = f.Section(kind)
	}
	for _, s := range f.Segments() {
		for _, vmaddr := range []uint64{s.VMAddr, s.VMAddr + s.Size/2, s.VMAddr + s.Size} {
			f.Symbol(vmaddr)
			f.FunctionStart(vmaddr)
			f.Variable(vmaddr)
		}
	}
	for _, a := range f.areas[:min(len(f.areas), 16)] {
		f.Symbol(a.start)
		f.Symbol(a.end - 1)
	}
	f.HasSymbols()
	f.stubs()
	debugPaths(f, "/usr/lib/x.so")
}

func FuzzNewFile(f *testing.F) {
	good := goodFiles(f)
	for i := range good {
		f.Add(uint8(i), []byte(nil))
	}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		b := damage.Edit(good[int(which)%len(good)], edits)
		file, err := NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		exercise(file)
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// flatMemory is bytes at an address.
type flatMemory struct {
	base  task.Addr
	bytes []byte
}

func (m flatMemory) ReadMemory(p []byte, a task.Addr) (int, error) {
	if a < m.base || uint64(a-m.base) >= uint64(len(m.bytes)) {
		return 0, &task.FaultError{Addr: a}
	}
	n := copy(p, m.bytes[a-m.base:])
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n)}
	}
	return n, nil
}

func FuzzMemoryFile(f *testing.F) {
	good := goodFiles(f)
	for i := range good {
		f.Add(uint8(i), []byte(nil))
	}
	const base = 0x10000
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		b := damage.Edit(good[int(which)%len(good)], edits)
		mem := flatMemory{base, b}
		h, err := readHeader(mem, base)
		if err != nil {
			return
		}
		r := task.Region{Start: base, End: base + task.Addr(len(b)), Prot: task.Read | task.Execute}
		for _, slide := range (group{r}).places(h.progs, defaultPage) {
			exercise(newMemoryFile(memoryVM{mem, slide}, h, nil))
		}
	})
}

func FuzzNotes(f *testing.F) {
	f.Add([]byte("\x04\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00GNU\x00ab\x00\x00"), uint64(4))
	f.Add([]byte("\x04\x00\x00\x00\xff\xff\xff\xff\x03\x00\x00\x00GNU\x00ab"), uint64(8))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\x04\x00\x00\x00Go\x00\x00"), uint64(0))
	f.Fuzz(func(t *testing.T, b []byte, align uint64) {
		var id ids
		id.add(b, align)
		if len(id.gnu) > maxBuildID {
			t.Errorf("build-id of %d bytes", len(id.gnu))
		}
		parseNotes(b, align, func(n note) bool {
			if len(n.desc) > len(b) || len(n.owner) > len(b) {
				t.Errorf("note %+v of %d bytes", n, len(b))
			}
			return true
		})
	})
}

func FuzzHashCount(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00--------\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00"), true)
	f.Fuzz(func(t *testing.T, b []byte, is64 bool) { gnuHashCount(b, is64) })
}
