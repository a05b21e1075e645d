package analysis

import (
	"errors"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// listed is a file that lists its data, ascending.
type listed struct {
	*text
	data [][2]uint64
}

func (f *listed) DataInCode(v uint64) (start, end uint64, ok bool) {
	for _, d := range f.data {
		if d[1] > v {
			return d[0], d[1], true
		}
	}
	return 0, 0, false
}

func (f *listed) query(a task.Arch, pc uint64) rule.Query {
	im := &images.Image{Placed: object.Placed{File: f, Slide: 0x100000}}
	return rule.Query{Arch: a, Image: im, PC: im.Addr(pc), First: true, Code: moved{f.text}}
}

// moved is the memory of an image that is not where its file has it.
type moved struct{ *text }

func (m moved) ReadMemory(p []byte, a task.Addr) (int, error) {
	return m.text.ReadMemory(p, a-0x100000)
}

// A table of bytes that no instruction refers to looks like returns which do not
// balance, and jumps into it, and others, like instructions of other lengths.
var amd64Listed = []line{
	{"55", entryAMD64},      // push rbp
	{"4889e5", pushedAMD64}, // mov rsp, rbp
	{"ffe0", frameAMD64},    // jmp *rax
	{"c3c3c3e8", ""},        // data
	{"5d", frameAMD64},      // pop rbp
	{"c3", entryAMD64},      // ret
	{"e80000", ""},          // data
	{"31c0", frameAMD64},    // xor eax, eax
	{"ebf7", frameAMD64},    // jmp to the pop
	{"48", ""},              // data
}

func TestListedData(t *testing.T) {
	code, starts := assemble(t, task.AMD64, amd64Listed)
	f := &listed{text: &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1000 + uint64(len(code))}}}
	for i, l := range amd64Listed {
		if l.rule == "" {
			at := 0x1000 + uint64(starts[i])
			f.data = append(f.data, [2]uint64{at, at + uint64(len(l.code)/2)})
		}
	}
	f.data[2][1] = 0x2000 // beyond the function
	var s Source
	for range 3 { // found, kept, and recalled
		for i, l := range amd64Listed {
			r, err := s.Rule(f.query(task.AMD64, 0x1000+uint64(starts[i])))
			if l.rule == "" && !errors.Is(err, ErrUncertain) || l.rule != "" && (err != nil || r.Format(task.AMD64) != l.rule) {
				t.Errorf("%d: %v, %v, want %v", i, r.Format(task.AMD64), err, l.rule)
			}
		}
	}
}

// Instructions of arm64 begin at multiples of 4, and data may end between them. What is
// listed may begin before the function, and be said to end where it begins.
func TestListedDataEnds(t *testing.T) {
	lines := []line{
		{"a9bf7bfd", entryARM64}, // stp x29, x30, [sp, #-16]!
		{"d61f0100", "cfa = sp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"}, // br x8
		{"d65f03c0", ""}, // data, as ret
		{"d65f03c0", ""}, // data, and filling
		{"a8c17bfd", "cfa = sp + 16; fp = *(cfa - 16); pc = *(cfa - 8)"}, // ldp x29, x30, [sp], #16
		{"d65f03c0", entryARM64}, // ret
	}
	code, starts := assemble(t, task.ARM64, lines)
	f := &listed{text: &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1000 + uint64(len(code))}}}
	f.data = [][2]uint64{{0xff0, 0xff8}, {0x1008, 0x100d}}
	for i, l := range lines {
		var s Source
		r, err := s.Rule(f.query(task.ARM64, 0x1000+uint64(starts[i])))
		if l.rule == "" && !errors.Is(err, ErrUncertain) || l.rule != "" && (err != nil || r.Format(task.ARM64) != l.rule) {
			t.Errorf("%d: %v, %v, want %v", i, r.Format(task.ARM64), err, l.rule)
		}
	}
	var s Source
	f.data = [][2]uint64{{0xff0, 0x1004}}
	if r, err := s.Rule(f.query(task.ARM64, 0x1000)); !errors.Is(err, ErrUncertain) {
		t.Errorf("in data: %v, %v", r, err)
	}
}
