package analysis

// memory executes loads and stores: it tracks whole registers in known words of the
// frame and writeback to the base, and forgets all other loaded registers.
func (e *a64Effect) memory() {
	vector := e.bits(26, 26) == 1
	switch {
	case e.is(0x3a000000, 0x28000000):
		e.pair(vector)
	case e.is(0x3a000000, 0x38000000):
		e.single(vector)
	case e.is(0x3b000000, 0x18000000): // ldr of a literal
		if !vector {
			e.set(e.rd(), value{}, false)
		}
	case e.is(0x3e000000, 0x0c000000): // ld1 … st4, post-indexed with bit 23
		if e.bits(23, 23) == 1 {
			e.writeBack(e.get(e.rn()).add(e.structures()))
		}
	case e.is(0x3f000000, 0x08000000):
		e.exclusive()
	case e.is(0xfb200c00, 0x19000400): // cpy, set: they write all three registers
		e.set(e.rd(), value{}, false)
		e.set(e.rn(), value{}, false)
		e.set(e.rm(), value{}, false)
	case e.is(0x3f000000, 0x19000000):
		e.tags()
	}
}

// structures returns how far ld1 … st4 of whole registers move their base: their
// size, 8 or 16 bytes times 1 to 4, unless a register says otherwise.
func (e *a64Effect) structures() int64 {
	if e.is(0x3f000000, 0x0c000000) && e.rm() == 31 {
		if n := int64("\x04\x00\x04\x00\x03\x00\x03\x01\x02\x00\x02"[min(e.bits(15, 12), 10)]); n > 0 {
			return n * (8 << e.bits(30, 30))
		}
	}
	return 1 << 40 // unknown
}

// exclusive executes ldxr, stxr, ldar, stlr, cas and casp. Loads write rt; rs gets a
// status or the old value; paired forms also write the next register.
func (e *a64Effect) exclusive() {
	if e.bits(22, 22) == 1 {
		e.set(e.rd(), value{}, false)
		e.set(e.rt2(), value{}, false)
	}
	e.set(e.rm(), value{}, false)
	if e.bits(23, 23) == 0 && e.bits(21, 21) == 1 && e.rm() < 30 {
		e.set(e.rm()+1, value{}, false)
	}
}

// tags executes ldapur and stg, which write rt, and their base if pre- or
// post-indexed.
func (e *a64Effect) tags() {
	if e.bits(23, 22) != 0 || e.bits(21, 21) == 1 {
		e.set(e.rd(), value{}, false)
	}
	if e.bits(31, 24) == 0xd9 && e.bits(10, 10) == 1 {
		e.writeBack(e.get(e.rn()).add(e.signed(20, 12) * 16))
	}
}

func (e *a64Effect) writeBack(v value) { e.set(e.rn(), v, true) }

// pair executes stp and ldp. Bits 24 and 23 are the mode: 0 no-allocate, 1
// post-indexed, 2 offset, 3 pre-indexed.
func (e *a64Effect) pair(vector bool) {
	size := int64(4) << e.bits(31, 31) // 4 also of ldpsw
	if vector {
		size = 4 << e.bits(31, 30)
	}
	n := e.signed(21, 15) * size
	mode := e.bits(24, 23)
	at := e.get(e.rn())
	if mode != 1 {
		at = at.add(n)
	}
	whole := !vector && e.bits(31, 30) == 2
	e.access(e.rd(), at, whole, vector)
	e.access(e.rt2(), at.add(size), whole, vector)
	if mode == 1 || mode == 3 {
		e.writeBack(e.get(e.rn()).add(n))
	}
}

// access stores a register at the address at, or loads it. Only whole general
// registers are tracked.
func (e *a64Effect) access(r uint8, at value, whole, vector bool) {
	load := e.bits(22, 22) == 1
	switch {
	case vector:
	case load && whole && at.kind == frame:
		e.set(r, e.load(e.s, at.off), false)
	case load:
		e.set(r, value{}, false)
	case whole && at.kind == frame && r != xsp:
		e.store(e.s, at.off, e.get(r))
	}
}

// single executes the str and ldr family, including atomics.
func (e *a64Effect) single(vector bool) {
	whole := !vector && e.bits(31, 30) == 3 && e.bits(23, 23) == 0
	base := e.get(e.rn())
	switch form := e.bits(11, 10); {
	case e.bits(24, 24) == 1: // unsigned offset
		e.one(base.add(int64(e.bits(21, 10))<<3), whole, vector)
	case e.bits(21, 21) == 1 && form == 0: // ldadd, swp …
		e.set(e.rd(), value{}, false)
	case e.bits(21, 21) == 1 && form == 2: // register offset
		e.one(value{}, false, vector)
	case e.bits(21, 21) == 1: // ldraa, pre-indexed with bit 11
		e.set(e.rd(), value{}, false)
		if form == 3 {
			e.writeBack(value{})
		}
	case form == 0 || form == 2: // unscaled
		e.one(base.add(e.signed(20, 12)), whole, vector)
	case form == 1: // post-indexed
		e.one(base, whole, vector)
		e.writeBack(e.get(e.rn()).add(e.signed(20, 12)))
	default: // pre-indexed
		e.one(base.add(e.signed(20, 12)), whole, vector)
		e.writeBack(base.add(e.signed(20, 12)))
	}
}

// one executes a load or store of one register. Opcode 0 stores; of general registers
// all others load, or prefetch.
func (e *a64Effect) one(at value, whole, vector bool) {
	opc := e.bits(23, 22)
	switch {
	case vector || e.is(0xc0c00000, 0xc0800000): // prfm
	case opc == 0 && whole && at.kind == frame && e.rd() != xsp:
		e.store(e.s, at.off, e.get(e.rd()))
	case opc == 0:
	case opc == 1 && whole && at.kind == frame:
		e.set(e.rd(), e.load(e.s, at.off), false)
	default:
		e.set(e.rd(), value{}, false)
	}
}
