package rule

import "stacksnap/task"

// Context is the rule of a frame whose caller's registers are all in one structure in
// memory, as a kernel writes it for a signal handler. It is immutable.
//
//	r = *(base + off + w·i) for the i-th of Regs, w being a pointer's size
type Context struct {
	Base Value   // the structure's address, or with Path the first pointer to follow
	Path []int32 // offsets: each is added to the address so far, and the pointer there is loaded
	Off  int32   // offset of the first register in the structure
	// Regs are the registers in order, pc and sp among them. Values that are no
	// register are skipped.
	Regs  []task.Reg
	Flags Flags
}

// Rule wraps c in a Rule.
func (c *Context) Rule() Rule { return Rule{Flags: c.Flags, Expression: c} }

// Apply implements [Expression]. It fails unless the whole structure was captured.
func (c *Context) Apply(s *State) error {
	at, err := s.Value(c.Base, 0)
	if err != nil {
		return err
	}
	for _, off := range c.Path {
		var ok bool
		if at, ok = s.Stack.Pointer(task.Addr(s.truncate(at + uint64(int64(off))))); !ok {
			return ErrNotCaptured
		}
	}
	at += uint64(int64(c.Off))
	regs := task.Registers{Arch: s.Regs.Arch}
	for _, reg := range c.Regs {
		x, ok := s.Stack.Pointer(task.Addr(s.truncate(at)))
		if !ok {
			return ErrNotCaptured
		}
		regs.Set(reg, x)
		at += s.Stack.size
	}
	if need := uint64(1)<<s.pc | 1<<s.sp; regs.Known&need != need {
		return ErrInvalid
	}
	s.Regs = regs
	return nil
}
