package rule

import (
	"fmt"
	"strings"

	"stacksnap/task"
)

// String formats the rule as algebra, with DWARF register numbers.
func (r Rule) String() string { return r.Format(task.UnknownArch) }

// Format formats the rule as algebra, with the names of a's special registers.
func (r Rule) Format(a task.Arch) string {
	var parts []string
	switch {
	case r.Has(Outermost):
		parts = append(parts, "outermost")
	case r.Expression != nil:
		parts = append(parts, fmt.Sprintf("wide %T", r.Expression))
	default:
		parts = append(parts, "cfa = "+r.formatCFA(a))
		for _, v := range r.Saved[:min(r.N, MaxSaved)] {
			parts = append(parts, regName(a, v.Reg)+" = "+v.format(a))
		}
		parts = append(parts, "pc = "+r.RA.format(a))
	}
	if r.Has(Signal) {
		parts = append(parts, "signal frame")
	}
	if r.Has(Signed) {
		parts = append(parts, "signed")
	}
	if r.Has(OtherStack) {
		parts = append(parts, "other stack")
	}
	return strings.Join(parts, "; ")
}

func (r *Rule) formatCFA(a task.Arch) string {
	l, base := &r.Loaded, regName(a, r.CFA.Base)
	at := base + plus(r.CFA.Off)
	if l.Scale != 0 {
		at = fmt.Sprintf("%s + %d·%s%s", base, l.Scale, regName(a, l.Index), plus(r.CFA.Off))
	}
	switch {
	case r.CFA.How == Indexed:
		return at
	case r.CFA.How != Load:
		return r.CFA.format(a)
	case l.Distance:
		return base + " + *(" + at + ")" + plus(l.Over)
	}
	return "*(" + at + ")" + plus(l.Over)
}

// plus formats an offset.
func plus(n int32) string {
	switch {
	case n < 0:
		return fmt.Sprintf(" - %d", -int64(n))
	case n > 0:
		return fmt.Sprintf(" + %d", n)
	}
	return ""
}

func (v Value) format(a task.Arch) string {
	sum := regName(a, v.Base) + plus(v.Off)
	switch v.How {
	case Sum:
		return sum
	case Load:
		return "*(" + sum + ")"
	}
	return "lost"
}

func regName(a task.Arch, r task.Reg) string {
	lr, hasLR := a.LR()
	switch {
	case r == CFA:
		return "cfa"
	case a == task.UnknownArch:
	case r == a.SP():
		return "sp"
	case r == a.FP():
		return "fp"
	case r == a.PC():
		return "pc"
	case hasLR && r == lr:
		return "lr"
	}
	return fmt.Sprintf("r%d", r)
}
