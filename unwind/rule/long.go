package rule

// Long is a rule that names more registers than [MaxSaved], as for signal
// trampolines. It is immutable.
type Long struct {
	CFA, RA Value
	Saved   []Value // at most task.MaxRegisters
	Flags   Flags
}

// Rule wraps l in a Rule.
func (l *Long) Rule() Rule { return Rule{Flags: l.Flags, Wide: l} }

// Apply implements [Wide].
func (l *Long) Apply(s *State) error {
	pc, cfa, err := s.Caller(&Rule{CFA: l.CFA, RA: l.RA})
	if err != nil {
		return err
	}
	s.enter(l.Saved, l.Flags, pc, cfa)
	return nil
}
