package unwind

import (
	"encoding/binary"
	"slices"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/compact"
	"stacksnap/unwind/rule"
)

// unwindInfo is a table of compact unwind with one entry, for what lies behind 0x100
// from the image's begin (mach-o/compact_unwind_encoding.h): a header, an index of two,
// and a regular page.
func unwindInfo(encoding uint32) object.Section {
	var b []byte
	for _, w := range []uint32{
		1, 28, 0, 28, 0, 28, 2, // version; encodings, personalities, index
		0x100, 52, 52, codeEnd - codeBase, 0, 52,
		2, 8 | 1<<16, 0x100, encoding,
	} {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return object.Section{Data: b}
}

// Where the instructions do not tell, a function that has just been called is not
// walked by the rule of its body.
func TestEntryBeforeItsBodysRule(t *testing.T) {
	const frame, frameARM64 = 0x01000000, 0x04000000
	called := []uint64{0x10220, 0, outer} // with fp at the second
	pushed := []uint64{0, outer, 0, 0}
	code := bytesAt{0x10100, []byte{0x55}}
	for _, c := range []struct {
		name     string
		arch     task.Arch
		encoding uint32
		pc       uint64
		stack    []uint64
		want     []uint64
	}{
		{"at its start", task.AMD64, frame, 0x10100, called, []uint64{0x10100, 0x10220, outer}},
		{"behind its push", task.AMD64, frame, 0x10101, pushed, []uint64{0x10101, outer}},
		{"in its body", task.AMD64, frame, 0x10120, called, []uint64{0x10120, outer}},
		{"at no start", task.AMD64, frame | 1<<31, 0x10100, called, []uint64{0x10100, outer}},
		{"at its start, arm64", task.ARM64, frameARM64, 0x10100, called, []uint64{0x10100, 0x10420, outer}},
	} {
		th := stacked(c.arch, c.pc, sb+8, c.stack...)
		if c.arch == task.ARM64 {
			linked(th, 0x10420)
		}
		f := newFake(c.arch)
		f.sections = map[object.Kind]object.Section{object.UnwindInfo: unwindInfo(c.encoding)}
		f.noStarts = true
		frames, stop := New(Options{}).Walk(nil, th, mapOf(f), code)
		if !slices.Equal(pcs(frames), c.want) || stop.Reason != Bottom {
			t.Errorf("%s: %#x, %+v, want %#x", c.name, pcs(frames), stop, c.want)
		}
	}
}

// In a call a function is past its entry.
func TestNotDescribedInACall(t *testing.T) {
	f := newFake(task.AMD64)
	f.sections = map[object.Kind]object.Section{object.UnwindInfo: unwindInfo(0x01000000)}
	im := &images.Image{Placed: object.Placed{File: f, Load: codeBase}}
	q := rule.Query{Arch: task.AMD64, Image: im, PC: 0x10100, Code: nowhere{}}
	d := described{new(compact.Source)}
	if r, err := d.Rule(q); err != rule.ErrNone {
		t.Errorf("%v, %v", r, err)
	}
	q.First = true
	if r, err := d.Rule(q); err != nil || r != rule.Frameless(task.AMD64, 0) {
		t.Errorf("%v, %v", r, err)
	}
}
