package rule

import "stacksnap/task"

// Context is the rule of a frame whose caller's registers all stand side by side
// in a structure in memory, as a kernel puts them there for a signal handler. It
// is not changed once made.
//
//	r = *(base + off + w·i) for the i-th of Regs, w being a pointer's size
type Context struct {
	Base Value   // the structure's address, or with Path a pointer on the way to it
	Path []int32 // each the offset of the next pointer from where the last leads
	Off  int32   // of the first register in it
	// Regs are the registers in order, pc and sp among them. What no register is is
	// passed over.
	Regs  []task.Reg
	Flags Flags
}

// Rule wraps c.
func (c *Context) Rule() Rule { return Rule{Flags: c.Flags, Wide: c} }

// Apply implements [Wide]. All of the structure must have been captured.
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
