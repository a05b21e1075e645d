package capture

import (
	"math/rand/v2"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// codeFile is a file of which some code is on the disk.
type codeFile struct {
	object.File
	code string
}

func (f *codeFile) Segments() []object.Segment {
	return []object.Segment{{Size: 0x1000, Prot: task.Read | task.Execute}}
}

func (f *codeFile) ReadCode(p []byte, vmaddr uint64) int {
	return copy(p, f.code[min(vmaddr, uint64(len(f.code))):])
}

// text is memory from 0x5000 on.
type text string

func (m text) ReadMemory(p []byte, a task.Addr) (int, error) {
	const base = 0x5000
	if a < base || uint64(a-base) >= uint64(len(m)) {
		return 0, &task.FaultError{Addr: a}
	}
	n := copy(p, m[a-base:])
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n)}
	}
	return n, nil
}

// TestCodeOfFiles: what is mapped where a library was does not matter to a walk in
// that library; what its file does not have, and other memory, is read as it is.
func TestCodeOfFiles(t *testing.T) {
	m := images.NewMap([]object.Placed{{Path: "/lib/a", Load: 0x5000, Slide: 0x5000, File: &codeFile{code: "CODE"}}})
	for _, test := range []struct {
		in   *images.Map
		live task.Memory
		at   task.Addr
		want string
		ok   bool
	}{
		{m, text("otherother"), 0x5000, "COD", true},
		{m, text(""), 0x5001, "ODE", true},
		{m, text("otherother"), 0x5003, "Ero", true},
		{m, text("othe"), 0x5003, "E", false},
		{m, text("otherother"), 0x5005, "oth", true},
		{m, text("otherother"), 0x4fff, "", false},
		{nil, text("otherother"), 0x5000, "oth", true},
	} {
		var p [3]byte
		n, err := (&codeMemory{live: test.live, in: test.in}).ReadMemory(p[:], test.at)
		if string(p[:n]) != test.want || (err == nil) != test.ok {
			t.Errorf("%v: %q, %v, want %q", test.at, p[:n], err, test.want)
		}
	}
}

// countedFile is a file whose code is the number of each byte, from first on.
type countedFile struct {
	object.File
	first, size uint64
	reads       int
}

func (f *countedFile) Segments() []object.Segment {
	return []object.Segment{{Size: 0x40000, Prot: task.Read | task.Execute}}
}

func (f *countedFile) ReadCode(p []byte, vmaddr uint64) (n int) {
	f.reads++
	for ; n < len(p) && vmaddr >= f.first && vmaddr < f.size; n++ {
		p[n] = codeByte(vmaddr)
		vmaddr++
	}
	return n
}

func codeByte(vmaddr uint64) byte { return byte(vmaddr) ^ byte(vmaddr>>8)*3 ^ byte(vmaddr>>16)*5 }

// TestPagesOfCode: whatever is read, in whatever order, is the file's, or the
// memory's where the file has none; and of a page that was read before, nothing is
// read again.
func TestPagesOfCode(t *testing.T) {
	a := &countedFile{first: 0x1010, size: 0x30007}
	b := &countedFile{size: 0x30000}
	maps := images.NewMap([]object.Placed{
		{Path: "/a", Load: 0x100000, Slide: 0x100000, File: a}, {Path: "/b", Load: 0x200000, Slide: 0x200000, File: b},
	})
	m := &codeMemory{live: xs{}, in: maps}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		f, base := a, task.Addr(0x100000)
		if random.IntN(2) == 0 {
			f, base = b, 0x200000
		}
		at, size := uint64(random.IntN(0x31000)), 1+random.IntN(64)
		if random.IntN(100) == 0 {
			size += 2 * codePageSize
		}
		p := make([]byte, size)
		if n, err := m.ReadMemory(p, base+task.Addr(at)); n != size || err != nil {
			t.Fatalf("%#x: %d of %d, %v", at, n, size, err)
		}
		for i := range p {
			want := byte('x')
			if v := at + uint64(i); at >= f.first && v < f.size {
				want = codeByte(v)
			}
			if p[i] != want {
				t.Fatalf("%d bytes at %#x: %#x at %d, want %#x", size, at, p[i], i, want)
			}
		}
	}
	a.reads = 0
	for at := task.Addr(0x102000); at < 0x102ff0; at += 9 {
		_, _ = m.ReadMemory(make([]byte, 9), at)
	}
	if a.reads > 1 {
		t.Errorf("a page was read %d times", a.reads)
	}
}

// xs is memory that has the same everywhere.
type xs struct{}

func (xs) ReadMemory(p []byte, _ task.Addr) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
