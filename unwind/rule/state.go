package rule

import (
	"encoding/binary"
	"errors"

	"stacksnap/task"
)

// Why a rule cannot be applied.
var (
	// ErrNotCaptured: the rule needs a word of the stack that was not copied, at
	// State.Stack.Missed.
	ErrNotCaptured = errors.New("the stack was not captured there")
	// ErrUnknownRegister: the rule needs a register whose value is not known.
	ErrUnknownRegister = errors.New("a register that leads to the caller is not known")
	// ErrOutermost: there is no caller.
	ErrOutermost = errors.New("the outermost frame has no caller")
	// ErrInvalid: the rule has no CFA, or defines the CFA in terms of the CFA.
	ErrInvalid = errors.New("the rule says nothing")
)

// State is a frame: its registers, and the stack that they point into.
type State struct {
	Regs  task.Registers
	Stack Stack
	// Memory is the target's at the time of the walk, not of the capture. It may be
	// nil.
	Memory task.Memory

	// The architecture's registers, looked up once.
	pc, sp task.Reg
	own    uint64 // the bits of pc and sp
	link   uint64 // the bit of the link register; 0 if there is none

	word [8]byte // Word's buffer, kept here so that it is not allocated
}

// Reset makes s the innermost frame of a captured thread.
func (s *State) Reset(t *task.Thread) {
	s.Regs = t.Registers
	s.Stack.Reset(t)
	a := t.Registers.Arch
	s.pc, s.sp = a.PC(), a.SP()
	s.own, s.link = 1<<s.pc|1<<s.sp, 0
	if lr, ok := a.LR(); ok {
		s.link = 1 << lr
	}
}

// Apply turns the frame into its caller's. When it fails, the frame is unchanged. A
// saved register that cannot be read becomes unknown, which is no failure.
func (s *State) Apply(r *Rule) error {
	if r.Has(Outermost) {
		return ErrOutermost
	}
	if r.Expression != nil {
		return r.Expression.Apply(s)
	}
	pc, cfa, err := s.Caller(r)
	if err != nil {
		return err
	}
	s.Enter(r, pc, cfa)
	return nil
}

// Caller returns the caller's pc and CFA by a rule without an Expression, and changes
// nothing: the first half of Apply, for callers that check the result first. The
// usual rule, cfa = reg + off and pc = *(cfa + off), is computed inline.
func (s *State) Caller(r *Rule) (pc, cfa uint64, err error) {
	if v := &r.CFA; v.How == Sum && v.Base < task.MaxRegisters && s.Regs.Known>>v.Base&1 != 0 {
		cfa = s.truncate(s.Regs.R[v.Base] + uint64(int64(v.Off)))
	} else if cfa, err = s.cfa(r); err != nil {
		return 0, 0, err
	}
	if v := &r.RA; v.How == Load && v.Base == CFA {
		at := s.truncate(cfa + uint64(int64(v.Off)))
		if off := at - s.Stack.base; off < s.Stack.room {
			return binary.LittleEndian.Uint64(s.Stack.bytes[off:]), cfa, nil
		}
		pc, ok := s.Stack.seek(task.Addr(at))
		if !ok {
			return 0, 0, ErrNotCaptured
		}
		return pc, cfa, nil
	}
	pc, err = s.Value(r.RA, cfa)
	return pc, cfa, err
}

// cfa evaluates a rule's CFA.
func (s *State) cfa(r *Rule) (uint64, error) {
	l, v := &r.Loaded, r.CFA
	if v.How != Load && v.How != Indexed {
		return s.Value(v, 0)
	}
	base, err := s.Value(Add(v.Base, 0), 0)
	if err != nil {
		return 0, err
	}
	at := base + uint64(int64(v.Off))
	if l.Scale != 0 {
		index, ok := s.Regs.Value(l.Index)
		if !ok {
			return 0, ErrUnknownRegister
		}
		at += index * uint64(l.Scale)
	}
	if v.How == Indexed {
		return s.truncate(at), nil
	}
	word, ok := s.Stack.Pointer(task.Addr(s.truncate(at)))
	if !ok {
		return 0, ErrNotCaptured
	}
	if l.Distance {
		word += base
	}
	return s.truncate(word + uint64(int64(l.Over))), nil
}

// Enter turns the frame into its caller's, with the pc and CFA that Caller returned:
// the second half of Apply.
func (s *State) Enter(r *Rule, pc, cfa uint64) {
	saved := r.Saved[:min(r.N, MaxSaved)]
	if r.mixed {
		s.enter(saved, r.Flags, pc, cfa)
		return
	}
	s.Return(pc, cfa, r.Flags)
	known, at, room, bytes := s.Regs.Known, cfa-s.Stack.base, s.Stack.room, s.Stack.bytes
	for _, v := range saved {
		// Nearly all are words of the range read last: see Stack.Pointer.
		off := at + uint64(int64(v.Off))
		if v.How == Load && v.Reg < task.MaxRegisters && off < room {
			s.Regs.R[v.Reg] = binary.LittleEndian.Uint64(bytes[off:])
			known |= 1 << v.Reg
			continue
		}
		s.Regs.Known = known
		s.restore(v, cfa)
		known = s.Regs.Known
	}
	s.Regs.Known = known
}

// restore sets a register to a value whose base is the CFA.
func (s *State) restore(v Value, cfa uint64) {
	x := s.truncate(cfa + uint64(int64(v.Off)))
	ok := v.How == Sum
	if v.How == Load {
		x, ok = s.Stack.Pointer(task.Addr(x))
	}
	s.set(v.Reg, x, ok)
}

// enter evaluates all values before it changes a register, because they refer to the
// frame's own.
func (s *State) enter(saved []Value, f Flags, pc, cfa uint64) {
	var values [task.MaxRegisters]uint64
	saved = saved[:min(len(saved), len(values))]
	lost := uint64(0)
	for i, v := range saved {
		x, err := s.Value(v, cfa)
		if err != nil {
			lost |= 1 << i
		}
		values[i] = x
	}
	s.Return(pc, cfa, f)
	for i, v := range saved {
		s.set(v.Reg, values[i], lost>>i&1 == 0)
	}
}

// set sets a register to x, or makes it unknown if !ok.
func (s *State) set(reg task.Reg, x uint64, ok bool) {
	if reg >= task.MaxRegisters {
		return
	}
	s.Regs.R[reg] = x
	s.Regs.Known |= 1 << reg
	if !ok {
		s.Regs.Known &^= 1 << reg
	}
}

// truncate reduces x to the target's pointer size.
func (s *State) truncate(x uint64) uint64 {
	if s.Stack.size == 4 {
		return x & (1<<32 - 1)
	}
	return x
}

// Value evaluates v in the frame, whose CFA is cfa.
func (s *State) Value(v Value, cfa uint64) (uint64, error) {
	base := cfa
	if v.Base != CFA {
		x, ok := s.Regs.Value(v.Base)
		if !ok {
			return 0, ErrUnknownRegister
		}
		base = x
	}
	base = s.truncate(base + uint64(int64(v.Off)))
	switch v.How {
	case Sum:
		return base, nil
	case Load:
		x, ok := s.Stack.Pointer(task.Addr(base))
		if !ok {
			return 0, ErrNotCaptured
		}
		return x, nil
	}
	return 0, ErrInvalid
}

// Word reads a pointer that is not on the stack, from Memory as it is now.
func (s *State) Word(a task.Addr) (uint64, bool) {
	if s.Memory == nil || task.ReadFull(s.Memory, s.word[:s.Stack.size], a) != nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(s.word[:]), true
}

// Return sets pc and sp to the caller's. A call overwrites the link register, so it
// becomes unknown and can never be taken for the caller's own return address; a
// signal overwrites no register.
func (s *State) Return(pc, cfa uint64, f Flags) {
	known := s.Regs.Known | s.own
	if f&Signal == 0 {
		known &^= s.link
	}
	s.Regs.Known = known
	s.Regs.R[s.sp], s.Regs.R[s.pc] = cfa, pc
}
