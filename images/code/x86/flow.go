package x86

// Flow says where control goes behind an instruction.
type Flow uint8

// The ways control goes.
const (
	Next     Flow = iota
	Jump          // to Target
	Branch        // to Target, or on
	Call          // to Target or wherever the operand says, and back
	Ret           // to the caller
	Indirect      // to where the operand says
	Stop          // into a trap
)

// Flow tells where control goes.
func (i *Inst) Flow() Flow {
	switch op := i.Op; {
	case op == 0xe9 || op == 0xeb:
		return Jump
	case op&0xfff0 == 0x70 || op&0xfff0 == 0x0f80 || op >= 0xe0 && op <= 0xe3:
		return Branch
	case op == 0xe8 || op == 0xff && (i.Digit() == 2 || i.Digit() == 3):
		return Call
	case op == 0xff && (i.Digit() == 4 || i.Digit() == 5):
		return Indirect
	case op == 0xc2 || op == 0xc3 || op == 0xca || op == 0xcb || op == 0xcf:
		return Ret
	case op == 0x0f0b || op == 0x0fb9 || op == 0x0fff || op == 0xcc || op == 0xf4:
		return Stop
	}
	return Next
}

// Direct tells whether the instruction says itself where it jumps or calls to:
// Imm bytes from its end.
func (i *Inst) Direct() bool {
	f := i.Flow()
	return f == Jump || f == Branch || i.Op == 0xe8
}
