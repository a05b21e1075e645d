package compact

import (
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// UNWIND_ARM64_*.
const (
	arm64Frameless = 0x02000000
	arm64DWARF     = 0x03000000
	arm64Frame     = 0x04000000

	arm64StackSize  = 0x00fff000 // of a frameless function, in units of 16 bytes
	arm64StackShift = 12
	arm64Pairs      = 5 // bit i: x19+2i and x20+2i are saved
	arm64X19        = 19
	arm64FP         = 29
)

// arm64Rule is the rule of a function body. Each saved pair takes the next two words
// downward, from x19 and x20 to x27 and x28. d8 to d15 follow; a walk does not need
// them.
//
//	frame:      cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8); x19 = *(cfa - 24); x20 = *(cfa - 32); …
//	frameless:  cfa = sp + 16n; pc = lr; x19 = *(cfa - 8); x20 = *(cfa - 16); …
//	none:       cfa = sp; pc = lr
func arm64Rule(f *function) (rule.Rule, error) {
	switch e := f.encoding; e.mode() {
	case arm64Frame:
		r := rule.FramePointer(task.ARM64)
		arm64Save(&r, e, -24)
		return r, nil
	case arm64Frameless:
		if !f.first {
			return rule.Rule{}, ErrInCall
		}
		r := rule.Frameless(task.ARM64, int32(e&arm64StackSize>>arm64StackShift)*16)
		arm64Save(&r, e, -8)
		return r, nil
	case arm64DWARF:
		return rule.Rule{}, ErrDWARF
	}
	if f.encoding.Opcode() != 0 {
		return rule.Rule{}, ErrEncoding
	}
	if !f.first {
		return rule.Rule{}, ErrNoInfo
	}
	return rule.Frameless(task.ARM64, 0), nil
}

func arm64Save(r *rule.Rule, e Encoding, off int32) {
	for i := range task.Reg(arm64Pairs) {
		if e>>i&1 != 0 {
			r.Save(arm64X19+2*i, rule.At(rule.CFA, off))
			r.Save(arm64X19+2*i+1, rule.At(rule.CFA, off-8))
			off -= 16
		}
	}
}
