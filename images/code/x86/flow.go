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

// oneByteFlow are the ways behind the opcodes without an escape, but ff.
var oneByteFlow = [256]Flow{
	0x70: Branch, Branch, Branch, Branch, Branch, Branch, Branch, Branch,
	0x78: Branch, Branch, Branch, Branch, Branch, Branch, Branch, Branch,
	0xc2: Ret, Ret, 0xca: Ret, Ret, Stop, 0xcf: Ret,
	0xe0: Branch, Branch, Branch, Branch, 0xe8: Call, Jump, 0xeb: Jump, 0xf4: Stop,
}

// Flow tells where control goes.
func (i *Inst) Flow() Flow {
	switch op := i.Op; {
	case op == 0xff:
		return groupFlow[i.Digit()]
	case op < 0x100:
		return oneByteFlow[op]
	case op&0xfff0 == 0x0f80:
		return Branch
	case op == 0x0f0b || op == 0x0fb9 || op == 0x0fff:
		return Stop
	}
	return Next
}

// groupFlow are those behind ff, by the digit.
var groupFlow = [8]Flow{2: Call, Call, Indirect, Indirect}

// Direct reports whether the instruction says itself where it jumps or calls to:
// Imm bytes from its end.
func (i *Inst) Direct() bool {
	f := i.Flow()
	return f == Jump || f == Branch || i.Op == 0xe8
}
