package analysis

import (
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Limits of analysing the code ahead.
const (
	maxAhead      = 1 << 10 // bytes of code
	maxBehind     = 512     // bytes of code before the pc, for loops that jump back
	smallestPage  = 4 << 10 // such a page is readable as a whole, or not at all
	maxAheadSteps = 400     // instructions
	maxAheadWays  = 32      // pending branch targets
)

// way is a pending branch target, and the state there.
type way struct {
	off uint32
	state
}

// forward analyses the code from the pc to its returns, for functions whose start is
// unknown. The code removes the frame before it returns, which reveals the frame's
// size. Registers and stack slots are relative to their values at the pc, whose
// offset in code is pc.
type forward struct {
	*walk
	ways   []way
	seen   [maxBehind + maxAhead]bool
	steps  int
	end    state // at the returns found so far
	record bool  // the code returns through the frame record that fp points to
	ended  bool
}

// ahead returns the rule at q.PC derived from the code up to its returns. All paths
// to a return that can be followed must agree.
func (w *walk) ahead(q *rule.Query) (rule.Rule, error) {
	at := q.PC
	if !q.First {
		at++
	}
	if !w.around(q.Code, at) {
		return rule.Rule{}, ErrNoFunction
	}
	w.machine = w.machineOf(q, at)
	f := &w.forward
	f.reset(w)
	return f.rule(q)
}

// around reads the code around a, and sets pc to a's offset in it. Where the code
// before a is unreadable it starts at the page, or at a.
func (w *walk) around(mem task.Memory, a task.Addr) bool {
	for _, before := range [...]task.Addr{min(a, maxBehind), min(a%smallestPage, maxBehind), 0} {
		_ = w.read(mem, a-before, int(before)+maxAhead)
		if w.pc = uint32(before); len(w.code) > int(before) {
			return true
		}
	}
	return false
}

func (f *forward) reset(w *walk) {
	f.walk, f.ways, f.steps, f.ended, f.record = w, f.ways[:0], 0, false, false
	clear(f.seen[:])
}

func (f *forward) rule(q *rule.Query) (rule.Rule, error) {
	start := f.entered()
	start.reg[f.sp] = atCFA(0)
	if !q.First && f.lr != numRegisters {
		start.reg[f.lr] = value{} // the call has overwritten it
	}
	f.ways = append(f.ways, way{f.pc, start})
	for len(f.ways) > 0 {
		last := f.ways[len(f.ways)-1]
		f.ways = f.ways[:len(f.ways)-1]
		if err := f.follow(last.off, last.state, q); err != nil {
			return rule.Rule{}, err
		}
	}
	switch {
	case !f.ended:
		return rule.Rule{}, ErrNoFunction
	case f.record:
		return f.throughRecord(q), nil
	}
	return f.taken(q)
}

// follow runs from off to a return, or to where control cannot be followed.
func (f *forward) follow(off uint32, s state, q *rule.Query) error {
	called := false // the previous instruction is a call
	for off < uint32(len(f.code)) && !f.seen[off] && f.steps < maxAheadSteps {
		f.seen[off] = true
		f.steps++
		in := &f.inst
		f.step(f.machine, f.code, off, &s, in)
		if in.size == 0 || called && (in.nop || f.begins(off, q)) {
			return nil // the callee may not return, and this be other code
		}
		called = in.flow == call
		if sp := s.reg[f.sp]; sp == entryOf(f.fp) || f.leaves(off) {
			return f.returns(&s)
		} else if sp.kind != frame {
			return nil
		}
		switch in.flow {
		case jump:
			if in.target < 0 || in.target >= int64(len(f.code)) {
				return nil
			}
			off = uint32(in.target)
			continue
		case branch:
			if in.target >= 0 && in.target < int64(len(f.code)) && len(f.ways) < maxAheadWays {
				f.ways = append(f.ways, way{uint32(in.target), s})
			}
		case call:
			f.called(&s)
		case ret:
			return f.returns(&s)
		case indirect, stop:
			return nil
		}
		off += in.size
	}
	return nil
}

// leaves reports whether the instruction at off is leave, which sets sp from fp and
// pops fp.
func (f *forward) leaves(off uint32) bool { return f.lr == numRegisters && f.code[off] == 0xc9 }

// begins reports whether a function starts at off.
func (f *forward) begins(off uint32, q *rule.Query) bool {
	if q.Image == nil || q.Image.File == nil {
		return false
	}
	v := q.Image.VMAddr(f.start + task.Addr(off))
	start, ok := q.Image.File.FunctionStart(v)
	return ok && start == v
}

// returns records the state at a return. It must agree with the other returns. sp may
// have been set from fp there.
func (f *forward) returns(s *state) error {
	record := s.reg[f.sp].kind != frame
	if !f.ended {
		f.ended, f.end, f.record = true, *s, record
		return nil
	}
	if f.record != record || !record && f.end.reg[f.sp] != s.reg[f.sp] {
		return ErrDisagree
	}
	f.end.meet(s)
	return nil
}

// throughRecord is the rule where sp is set from fp. Where the other registers were
// saved is unknown.
func (f *forward) throughRecord(q *rule.Query) rule.Rule {
	r := rule.FramePointer(q.Arch)
	r.Flags |= rule.Unproven
	for _, k := range f.kept {
		if k != f.fp && k != f.lr {
			r.Save(task.Reg(f.dwarf[k]), rule.Value{})
		}
	}
	return r
}

// taken is the rule where the frame was removed by moving sp.
func (f *forward) taken(q *rule.Query) (rule.Rule, error) {
	size := f.end.reg[f.sp].off + f.pushed()
	r := rule.Rule{CFA: rule.Add(q.Arch.SP(), size), Flags: rule.Unproven}
	switch lr := f.end; {
	case size < f.pushed():
		return rule.Rule{}, ErrDisagree
	case f.lr == numRegisters:
		r.RA = rule.At(rule.CFA, -f.word)
	case lr.reg[f.lr].kind == above:
		r.RA = rule.At(rule.CFA, lr.reg[f.lr].off-size)
	case lr.reg[f.lr] == entryOf(f.lr):
		r.RA = rule.Add(task.Reg(f.dwarf[f.lr]), 0)
	default:
		return rule.Rule{}, ErrDisagree
	}
	for _, k := range f.kept {
		switch v := f.end.reg[k]; {
		case v == entryOf(k), k == f.lr:
		case v.kind == above:
			r.Save(task.Reg(f.dwarf[k]), rule.At(rule.CFA, v.off-size))
		default:
			r.Save(task.Reg(f.dwarf[k]), rule.Value{})
		}
	}
	return r, nil
}
