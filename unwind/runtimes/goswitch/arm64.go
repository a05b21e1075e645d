package goswitch

import "encoding/binary"

// Registers, as ARM64 numbers them.
const (
	fp = 29
	lr = 30
	sp = 31
)

// arm64 follows code such as
//
//	mov x9, x0; ldr x28, [sp, #g]; bl save_g; ldr x5, [x28, #hi]; ldr x6, [sp, #d]
//	sub x5, x5, x6; mov x0, x9; mov sp, x5; str w0, [sp, #40]
//	ldur x29, [sp, #-8]; ldr x30, [sp], #16; ret
//
// or, where no goroutine's stack was left,
//
//	ldr x2, [sp, #d]; mov sp, x2; str x0, [sp, #40]
//	ldp x29, x30, [sp, #-8]; add sp, sp, #16; ret
func (b *back) arm64(code []byte) bool {
	for ; len(code) >= 4; code = code[4:] {
		ins := binary.LittleEndian.Uint32(code)
		switch {
		case ins == 0xd65f03c0: // ret
			return b.on && b.hasRA
		case b.on:
			if !b.unwindARM64(ins) {
				return false
			}
		case ins&0xfffffc1f == 0x9100001f: // mov sp, xn
			if !b.enter(b.reg[ins>>5&31]) {
				return false
			}
		case !b.stepARM64(ins):
			return false
		}
	}
	return false
}

// unwindARM64 executes an instruction after sp was set.
func (b *back) unwindARM64(ins uint32) bool {
	switch {
	case ins&0xbfc003e0 == 0xb9000000|sp<<5: // str wt or xt, [sp, #n]: the result
		return b.spares(b.moved + int32(ins>>10&0xfff)<<(ins>>30))
	case ins == 0xf85f8000|sp<<5|fp: // ldur x29, [sp, #-8]
		b.setFP(-8)
	case ins == 0xa9400000|0x7f<<15|lr<<10|sp<<5|fp: // ldp x29, x30, [sp, #-8]
		b.setFP(-8)
		b.setRA()
	case ins == 0xf8400400|16<<12|sp<<5|lr: // ldr x30, [sp], #16
		b.setRA()
		b.moved += 16
	case ins&0xffc003ff == 0x91000000|sp<<5|sp: // add sp, sp, #n
		b.moved += int32(ins >> 10 & 0xfff)
	default:
		return false
	}
	return true
}

func (b *back) setFP(off int32) { b.fp, b.hasFP = b.moved+off, true }
func (b *back) setRA()          { b.ra, b.hasRA = b.moved, true }

// stepARM64 executes an instruction before sp is set.
func (b *back) stepARM64(ins uint32) bool {
	d, n, m := ins&31, ins>>5&31, ins>>16&31
	switch {
	case ins&0xfc000000 == 0x94000000: // bl: runtime.save_g, which gets g in x28 and preserves it
		clear(b.reg[:19])
		clear(b.reg[29:])
	case ins&0xffc00000 == 0xf9400000 && d != sp: // ldr xd, [xn, #off]
		off := int32(ins>>10&0xfff) * 8
		if n == sp {
			b.reg[d] = value{kind: word, off: off}
		} else {
			b.reg[d] = b.reg[n].loaded(off)
		}
	case ins&0xffe0fc00 == 0xcb000000 && d != sp: // sub xd, xn, xm
		b.reg[d] = b.reg[n].minus(b.reg[m])
	case ins&0xffe0ffe0 == 0xaa0003e0 && d != sp: // mov xd, xm
		b.reg[d] = b.reg[m]
	default:
		return false
	}
	return true
}
