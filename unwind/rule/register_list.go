package rule

// RegisterList is a rule with more registers than [MaxSaved], such as a signal
// trampoline's. It is immutable.
type RegisterList struct {
	CFA, RA Value
	Saved   []Value // at most task.MaxRegisters
	Flags   Flags
}

// Rule wraps l in a Rule.
func (l *RegisterList) Rule() Rule { return Rule{Flags: l.Flags, Expression: l} }

// Apply implements [Expression].
func (l *RegisterList) Apply(s *State) error {
	pc, cfa, err := s.Caller(&Rule{CFA: l.CFA, RA: l.RA})
	if err != nil {
		return err
	}
	s.enter(l.Saved, l.Flags, pc, cfa)
	return nil
}
