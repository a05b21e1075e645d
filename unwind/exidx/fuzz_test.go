package exidx

import (
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// FuzzRule reads arbitrary tables, and carries out what they say on an arbitrary stack.
func FuzzRule(f *testing.F) {
	f.Add(le(to(indexAt, 0x1000, 0), 0x8000a8b0), []byte{}, uint32(0x1004))
	f.Add(le(to(indexAt, 0x1000, 0), to(indexAt+4, tableAt, 0)), le(0x8101_0301, 0xa8b0b0b0), uint32(0x1004))
	f.Add(le(to(indexAt, 0x1000, 0), to(indexAt+4, tableAt, 0)), le(0, 0x0182_08b2, 0x80a89702), uint32(0x1004))
	f.Fuzz(func(t *testing.T, index, table []byte, vmaddr uint32) {
		q := query(index, table, uint64(vmaddr))
		s := new(Source)
		if start, end, ok := s.Function(&q); ok && (q.PC < start || q.PC > end) {
			t.Errorf("%v is not from %v to %v", q.PC, start, end)
		}
		r, err := s.Rule(q)
		if err != nil {
			return
		}
		if !r.Valid() {
			t.Errorf("%v says nothing", r)
		}
		th := &task.Thread{Stacks: []task.Stack{{Base: 0x7000, Bytes: table}}}
		th.Registers.Arch = task.ARM
		for i := range task.Reg(16) {
			th.Registers.Set(i, 0x7000+uint64(i)*8)
		}
		var state rule.State
		state.Reset(th)
		if err := state.Apply(&r); err != nil && state.Regs != th.Registers {
			t.Errorf("%v changes the frame", err)
		}
	})
}
