package x86

// Flow says where control goes after an instruction.
type Flow uint8

// The kinds of flow.
const (
	Next     Flow = iota
	Jump          // to Target
	Branch        // to Target, or to the next instruction
	Call          // to Target or the operand's address, and back
	Ret           // to the caller
	Indirect      // to the operand's address
	Stop          // to a trap handler
)

// oneByteFlow is the flow of the opcodes without an escape, except ff.
var oneByteFlow = [256]Flow{
	0x70: Branch, Branch, Branch, Branch, Branch, Branch, Branch, Branch,
	0x78: Branch, Branch, Branch, Branch, Branch, Branch, Branch, Branch,
	0xc2: Ret, Ret, 0xca: Ret, Ret, Stop, 0xcf: Ret,
	0xe0: Branch, Branch, Branch, Branch, 0xe8: Call, Jump, 0xeb: Jump, 0xf4: Stop,
}

// Flow returns where control goes after the instruction.
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

// groupFlow is the flow of opcode ff, by digit.
var groupFlow = [8]Flow{2: Call, Call, Indirect, Indirect}

// Direct reports whether the target of a jump or call is Imm bytes after the
// instruction's end.
func (i *Inst) Direct() bool {
	f := i.Flow()
	return f == Jump || f == Branch || i.Op == 0xe8
}
