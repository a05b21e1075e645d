package capture

import (
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
