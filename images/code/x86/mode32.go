package x86

// oneByte32 returns the attributes of opcodes without an escape that differ in 32-bit
// mode.
func oneByte32(op byte) attr {
	switch {
	case op&0xf0 == 0x40: // inc, dec
		return wO
	case op < 0x20 && op&6 == 6 && op != 0x0f: // push and pop of es, cs, ss and ds
		return n
	case op == 0x27 || op == 0x2f || op == 0x37 || op == 0x3f || op == 0xd6: // daa, das, aaa, aas, salc
		return wA
	case op == 0x60 || op == 0x61 || op == 0xce: // pusha, popa, into
		return n
	case op == 0x63: // arpl
		return mM
	case op == 0x82:
		return mMb | ib
	case op == 0x9a || op == 0xea: // far call and jmp
		return iz | far
	case op == 0xd4 || op == 0xd5: // aam, aad
		return ib | wA
	}
	return oneByte[op]
}

// operand16 reads the displacement of a 16-bit address. Its registers are not
// decoded.
func (i *Inst) operand16(r *bytes) {
	i.Base = NoReg
	switch {
	case i.mod() == 1:
		i.Disp = r.i8()
	case i.mod() == 2 || i.ModRM&0xc7 == 6:
		i.Disp = int32(r.u64(2))
	}
}
