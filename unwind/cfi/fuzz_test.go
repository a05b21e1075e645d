package cfi

import (
	"os"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// FuzzRule reads arbitrary sections, and carries out what they say on an
// arbitrary stack.
func FuzzRule(f *testing.F) {
	for _, tt := range rules {
		var b builder
		b.fde(b.cie("", nil, standard...), 0x1000, 0x100, tt.program...)
		f.Add(b.b, []byte{}, uint64(0x1010), uint8(task.AMD64), false)
	}
	b := builder{eh: true}
	cie := b.cie("zPLRS", []byte{encUData4 | encDataRel, 1, 2, 3, 4, 0x1b, encSData4 | encPCRel}, standard...)
	fde := 0x5000 + uint64(b.fde(cie, 0x1000, 0x100))
	f.Add(b.b, hdr(0x1000, fde).Data, uint64(0x1010), uint8(task.AMD64), true)
	f.Fuzz(func(t *testing.T, frame, header []byte, pc uint64, arch uint8, eh bool) {
		im := &file{arch: task.Arch(arch%4 + 1), sections: map[object.Kind]object.Section{
			object.DebugFrame: {VMAddr: 0x5000, Data: frame},
			object.EHFrameHdr: {VMAddr: 0x4000, Data: header},
		}}
		if eh {
			im.sections[object.EHFrame] = im.sections[object.DebugFrame]
			delete(im.sections, object.DebugFrame)
		}
		q := query(im, pc)
		r, err := new(Source).Rule(q)
		if err != nil {
			return
		}
		var s rule.State
		s.Reset(fuzzThread(im.arch, frame))
		before := s.Regs
		if err := s.Apply(&r); err != nil && s.Regs != before {
			t.Errorf("%v changes the frame", err)
		}
		_ = r.Format(im.arch)
	})
}

// fuzzThread is a thread with data for a stack, and registers all over it.
func fuzzThread(a task.Arch, data []byte) *task.Thread {
	t := &task.Thread{Stacks: []task.Stack{{Base: 0x7000, Bytes: data}}}
	t.Registers.Arch = a
	for i := range task.Reg(task.MaxRegisters) {
		t.Registers.Set(i, 0x7000+uint64(i)*8)
	}
	return t
}

// FuzzExpression evaluates arbitrary expressions, with registers known and not.
func FuzzExpression(f *testing.F) {
	for _, code := range [][]byte{
		{0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22},
		{0x77, 0, dwDeref, dwPlusUconst, 8}, {dwSkip, 0xfd, 0xff}, {0x31, dwBra, 1, 0, 0x35},
	} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		for _, size := range []int{4, 8} {
			var state rule.State
			state.Reset(fuzzThread(task.AMD64, code))
			for _, s := range []*rule.State{nil, &state} {
				e := evaluator{sec: &section{pointerSize: size}, state: s, arch: task.AMD64}
				_, _ = e.eval(cursor{data: code}, term{n: 0x7000})
			}
		}
	})
}

// TestCutAndBroken reads a real section cut at many places and with bytes
// changed: what is left may be wrong, but never panics.
func TestCutAndBroken(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := testSection("/bin/sh", object.EHFrame)
	if s == nil {
		if s = testSection(exe, object.DebugFrame); s == nil {
			t.Fatal("no file with call frame information")
		}
	}
	whole := s.Data[:min(len(s.Data), 1500)]
	for n := range len(whole) {
		c := *s
		c.Data = whole[:n:n]
		_, _ = newIndex(&c)
		broken := append([]byte(nil), whole...)
		broken[n] ^= byte(0xff >> (n % 8))
		c.Data = broken
		ix, _ := newIndex(&c)
		for _, sp := range ix {
			if f, err := c.fdeAt(int(sp.off)); err == nil {
				_, _ = c.rowAt(f, f.end-1)
			}
		}
	}
}
