package x86

// attr says which operands follow an opcode and which general registers the
// instruction writes.
type attr uint16

const (
	n   attr = 0       // no operands follow
	m   attr = 1 << 0  // ModRM
	ib  attr = 1 << 1  // 8-bit immediate
	iz  attr = 1 << 2  // 16- or 32-bit immediate, by operand size
	wM  attr = 1 << 3  // writes ModRM.rm, if it is a register
	wR  attr = 1 << 4  // writes ModRM.reg
	wO  attr = 1 << 5  // writes the register in the opcode's low bits
	wA  attr = 1 << 6  // writes rax
	wD  attr = 1 << 7  // writes rdx
	wC  attr = 1 << 8  // writes rcx
	b8  attr = 1 << 9  // 8-bit registers
	inv attr = 1 << 10 // not an instruction
	sep attr = 1 << 11 // decoded separately
	wS  attr = 1 << 12 // writes rsi, rdi and rcx, like repeated string operations
	i16 attr = 1 << 13 // 16-bit immediate
	wV  attr = 1 << 14 // writes VEX.vvvv
	far attr = 1 << 15 // a segment follows the immediate

	mM, mR   = m | wM, m | wR
	mMb, mRb = m | wM | b8, m | wR | b8
	mib      = m | ib
)

// oneByte has the opcodes without an escape.
var oneByte = [256]attr{
	// 00
	mMb, mM, mRb, mR, ib | wA, iz | wA, inv, inv, mMb, mM, mRb, mR, ib | wA, iz | wA, inv, sep,
	mMb, mM, mRb, mR, ib | wA, iz | wA, inv, inv, mMb, mM, mRb, mR, ib | wA, iz | wA, inv, inv,
	mMb, mM, mRb, mR, ib | wA, iz | wA, sep, inv, mMb, mM, mRb, mR, ib | wA, iz | wA, sep, inv,
	mMb, mM, mRb, mR, ib | wA, iz | wA, sep, inv, m, m, m, m, ib, iz, sep, inv,
	// 40: REX
	sep, sep, sep, sep, sep, sep, sep, sep, sep, sep, sep, sep, sep, sep, sep, sep,
	n, n, n, n, n, n, n, n, wO, wO, wO, wO, wO, wO, wO, wO, // push, pop
	inv, inv, sep, mR, sep, sep, sep, sep, iz, mR | iz, ib, mR | ib, wS, wS, wS, wS,
	ib, ib, ib, ib, ib, ib, ib, ib, ib, ib, ib, ib, ib, ib, ib, ib, // jcc
	// 80
	mMb | ib, mM | iz, inv, mM | ib, m, m, mMb | wR, mM | wR, mMb, mM, mRb, mR, mM, mR, m, mM,
	wA | wO, wA | wO, wA | wO, wA | wO, wA | wO, wA | wO, wA | wO, wA | wO, wA, wD, inv, n, n, n, n, wA,
	sep, sep, sep, sep, wS, wS, wS, wS, ib, iz, wS, wS, wS | wA, wS | wA, wS, wS,
	ib | wO | b8, ib | wO | b8, ib | wO | b8, ib | wO | b8, ib | wO | b8, ib | wO | b8, ib | wO | b8, ib | wO | b8,
	sep, sep, sep, sep, sep, sep, sep, sep, // mov imm, up to 64 bits
	// c0
	mMb | ib, mM | ib, i16, n, sep, sep, mMb | ib, mM | iz, i16 | ib, n, i16, n, n, ib, inv, n,
	mMb, mM, mMb, mM, inv, inv, inv, wA, m, m, m, m, m, m, m, m | wA,
	ib | wC, ib | wC, ib | wC, ib, ib | wA, ib | wA, ib, ib, iz, iz, inv, ib, wA, wA, n, n,
	sep, n, sep, sep, n, n, sep, sep, n, n, n, n, n, n, mMb, mM,
}

// twoByte has the opcodes after 0f.
var twoByte = [256]attr{
	// 00
	mM, mM, mR, mR, inv, n | wC, n, n, n, n, inv, n, inv, m, n, mib,
	m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m,
	mM, mM, m, m, inv, inv, inv, inv, m, m, m, m, mR, mR, m, m,
	n, wA | wD, wA | wD, wA | wD, n, n, inv, wA, sep, inv, sep, inv, inv, inv, inv, inv,
	// 40: cmov
	mR, mR, mR, mR, mR, mR, mR, mR, mR, mR, mR, mR, mR, mR, mR, mR,
	mR, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m,
	m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m,
	mib, mib, mib, mib, m, m, m, n, mM, m, inv, inv, m, m, mM, m,
	// 80: jcc
	iz, iz, iz, iz, iz, iz, iz, iz, iz, iz, iz, iz, iz, iz, iz, iz,
	mMb, mMb, mMb, mMb, mMb, mMb, mMb, mMb, mMb, mMb, mMb, mMb, mMb, mMb, mMb, mMb,
	n, n, wA | wC | wD, m, mM | ib, mM, inv, inv, n, n, n, mM, mM | ib, mM, m, mR,
	mMb | wA, mM | wA, mR, mM, mR, mR, mR, mR, mR, m, mM | ib, mM, mR, mR, mR, mR,
	// c0
	mMb | wR, mM | wR, mib, m, mib, mR | ib, mib, mM | wA | wD, wO, wO, wO, wO, wO, wO, wO, wO,
	m, m, m, m, m, m, m, mR, m, m, m, m, m, m, m, m,
	m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m,
	m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m,
}

// map38 and map3A return the attributes of the opcodes after 0f 38 and 0f 3a. Few of
// them write general registers.
func map38(op byte, v vector) attr {
	switch {
	case !v.vex && op&0xfe == 0xf0: // movbe, crc32
		return mR
	case !v.vex && op == 0xf6: // adcx, adox
		return mR
	case v.vex && op == 0xf3: // blsr, blsmsk, blsi
		return m | wV
	case v.vex && op == 0xf6: // mulx
		return mR | wV
	case v.vex && (op == 0xf2 || op == 0xf5 || op == 0xf7): // andn, pdep, shlx …
		return mR
	}
	return m
}

func map3A(op byte, v vector) attr {
	switch {
	case op >= 0x14 && op <= 0x17: // pextr, extractps
		return mM | ib
	case op == 0x61 || op == 0x63: // pcmpestri, pcmpistri
		return mib | wC
	case v.vex && op == 0xf0: // rorx
		return mR | ib
	}
	return mib
}

// vector is a VEX or EVEX prefix.
type vector struct {
	vex, evex bool
	opmap     byte
	pp        byte // the legacy prefix it replaces: none, 66, f3, f2
	vvvv      byte
}

// vectorMap1 returns the attributes of the opcodes of map 0f with a VEX or EVEX
// prefix.
func vectorMap1(op byte, v vector) attr {
	switch op {
	case 0x77: // vzeroupper
		return n
	case 0x2c, 0x2d, 0x50, 0xd7, 0x93: // vcvt…2si, vmovmskps, vpmovmskb, kmov
		return mR
	case 0x78, 0x79: // vcvt…2usi
		if v.evex && v.pp >= 2 {
			return mR
		}
		return m
	case 0x7e:
		if v.pp == 1 { // vmovd
			return mM
		}
		return m
	case 0xc5: // vpextrw
		return mR | ib
	case 0x70, 0x71, 0x72, 0x73, 0xc2, 0xc4, 0xc6:
		return mib
	}
	return m
}
