package analysis

import "slices"

// kind says what is known of a register.
type kind uint8

const (
	unknown  kind = iota
	entry         // what register num held when the function was entered
	signed        // the same, with an authentication code in it
	frame         // cfa + off
	constant      // off
	above         // the word at cfa + off, which is the caller's
	computed      // the sum of two registers, as an address from a jump table is
	aligned       // base + off, where sp was set to base, which may be anywhere
	gap           // cfa + off - base, where sp was moved by it to base
	scaled        // cfa + off + num times the length of a vector, num being signed
)

// swiftAsyncBit is set in a saved frame pointer below which a Swift async context
// lies (xnu osfmk/kern/backtrace.c).
const swiftAsyncBit = 60

// value is what is known of a register at one place of a function, whichever
// way that place was reached.
type value struct {
	off  int32
	kind kind
	num  uint8
}

func atCFA(off int32) value { return value{kind: frame, off: off} }
func entryOf(r uint8) value { return value{kind: entry, num: r} }

// add is v + n, where that is known.
func (v value) add(n int64) value {
	off := int64(v.off) + n
	if v.kind != frame && v.kind != constant && v.kind != aligned && v.kind != gap && v.kind != scaled || off != int64(int32(off)) {
		return value{}
	}
	v.off = int32(off)
	return v
}

// Registers are numbered as instructions do: arm64 x0 to x30 and sp 31, armv7 r0 to
// r15, x86_64 rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15, i386 the first eight.
const numRegisters = 32

// maxKept bounds the registers that calls preserve, whose save slots are
// followed: x19 to x30.
const maxKept = 12

// state is what is known before an instruction runs. The zero state knows
// nothing.
type state struct {
	reg [numRegisters]value
	// slot[i] is the distance from the CFA of the stack word that holds what the
	// i-th kept register held on entry; 0 is none.
	slot [maxKept]int32
	// below[i] is the same from base, for what was saved after sp was set to that.
	below [maxKept]int32
	home  home
	// equal: the flags hold the comparison of sp with register equal-1.
	equal uint8
	// block is how many instructions more are executed on a condition: Thumb's it.
	block uint8
	// moved: sp may have been moved on a condition on which the function is being left.
	moved bool
	// probe is a frame's size, which the call at hand preserves in the register
	// machine.size.
	probe value
}

// home is the word in which a function keeps an address of its frame while sp is
// aligned, or how far sp was moved for that: the word at base + at holds cfa + off, or
// with gap cfa + off - base.
type home struct {
	place
	known bool
	gap   bool
	off   int32
}

// place is base + at, and what index holds times scale, if that is not 0: as long as
// it does.
type place struct {
	at           int32
	index, scale uint8
}

// keep notes that v was written to the word at p.
func (h *home) keep(p place, v value) {
	switch {
	case (v.kind == frame || v.kind == gap) && (!h.known || h.place == p):
		*h = home{p, true, v.kind == gap, v.off}
	case h.place == p:
		h.known = false
	}
}

// overwritten notes that registers, a bit of each, hold something else.
func (h *home) overwritten(registers uint32) {
	if h.scale != 0 && registers>>h.index&1 != 0 {
		h.known = false
	}
}

// meet leaves in s what holds in o too, and reports whether that is less than
// before.
func (s *state) meet(o *state) bool {
	changed := false
	for i := range s.reg {
		if s.reg[i].kind != unknown && s.reg[i] != o.reg[i] {
			s.reg[i] = value{}
			changed = true
		}
	}
	if s.home.known && s.home != o.home {
		s.home.known = false
		changed = true
	}
	for i := range s.slot {
		if s.slot[i] != o.slot[i] && s.slot[i] != 0 {
			s.slot[i] = 0
			changed = true
		}
		if s.below[i] != o.below[i] && s.below[i] != 0 {
			s.below[i] = 0
			changed = true
		}
	}
	return changed
}

// machine is what the flow of control needs to know of an architecture.
type machine struct {
	unit  uint32 // instructions start at multiples of this
	sp    uint8
	fp    uint8
	lr    uint8   // numRegisters: calls push the return address
	word  int32   // of a pointer
	size  uint8   // what a stack probe is told the size in; not kept by other calls
	kept  []uint8 // registers that calls preserve, and lr
	carry uint32  // registers of which more than entry values is kept at joins
	dwarf [numRegisters]uint8
	// step decodes the instruction at off of code to in, and with s not nil carries
	// out what it does to s. (A result would be copied twice for each instruction.)
	step func(m *machine, code []byte, off uint32, s *state, in *inst)
}

// entered is the state at a function's first instruction.
func (m *machine) entered() state {
	var s state
	for _, r := range m.kept {
		s.reg[r] = entryOf(r)
	}
	s.reg[m.sp] = m.onEntry()
	return s
}

// pushed is how many bytes a call pushes.
func (m *machine) pushed() int32 {
	if m.lr == numRegisters {
		return m.word
	}
	return 0
}

// join forgets what differs from one round of a loop to the next and is of no
// use to a walk, so that few blocks are looked at twice.
func (m *machine) join(s *state) {
	for i := range s.reg {
		switch v := &s.reg[i]; v.kind {
		case constant, computed, above:
			*v = value{}
		case frame, aligned, gap, scaled:
			if m.carry>>i&1 == 0 && *v != m.onEntry() {
				*v = value{}
			}
		}
	}
	s.equal, s.block, s.moved = 0, 0, false
}

// onEntry is sp at a function's first instruction.
func (m *machine) onEntry() value { return atCFA(-m.pushed()) }

// anchor starts to count from sp anew where it has been aligned, or moved by what is
// not known.
func (m *machine) anchor(s *state) {
	if k := s.reg[m.sp].kind; k != unknown && k != computed {
		return
	}
	for i := range s.reg {
		if k := s.reg[i].kind; k == aligned || k == gap { // from where it was before
			s.reg[i] = value{}
		}
	}
	s.reg[m.sp], s.home, s.below = value{kind: aligned}, home{}, [maxKept]int32{}
}

// store notes that v was written to the stack word at cfa + off.
func (m *machine) store(s *state, off int32, v value) { m.save(&s.slot, off, v) }

// save notes in which of the slots the registers are that calls preserve, when v was
// written to the one at off.
func (m *machine) save(slots *[maxKept]int32, off int32, v value) {
	for i, r := range m.kept {
		saved := v.num == r && (v.kind == entry || v.kind == signed)
		switch {
		case saved && slots[i] == 0:
			slots[i] = off
		case !saved && slots[i] == off:
			slots[i] = 0
		}
	}
}

// load is what the stack word at cfa + off holds.
func (m *machine) load(s *state, off int32) value {
	if v := m.saved(&s.slot, off); v.kind != unknown {
		return v
	}
	if off >= 0 {
		return value{kind: above, off: off}
	}
	return value{}
}

// saved is what was saved in the slot at off.
func (m *machine) saved(slots *[maxKept]int32, off int32) value {
	for i, r := range m.kept {
		if slots[i] == off && off != 0 {
			return entryOf(r)
		}
	}
	return value{}
}

// called is what a call leaves: the registers that it preserves.
func (m *machine) called(s *state) {
	lostRA := m.lr != numRegisters && m.slotOf(s, m.lr) == 0
	var keep uint32
	for _, r := range m.kept {
		if r != m.lr {
			keep |= 1 << r
		}
	}
	keep |= 1 << m.sp
	s.home.overwritten(^keep)
	for i := range s.reg {
		// Outlined code leaves alone the register that its caller keeps lr in: where
		// lr is nowhere else, the call can be no other.
		outlined := lostRA && uint8(i) != m.lr && s.reg[i].num == m.lr && s.reg[i].kind == entry
		if keep>>i&1 == 0 && !outlined {
			s.reg[i] = value{}
		}
	}
	s.reg[m.size], s.probe = s.probe, value{}
	s.equal = 0
}

func (m *machine) slotOf(s *state, r uint8) int32 {
	for i, k := range m.kept {
		if k == r {
			return s.slot[i]
		}
	}
	return 0
}

// left reports whether s is what a function leaves behind when it returns: the
// registers of its caller, and sp as it was on entry.
func (m *machine) left(s *state) bool {
	return m.returnable(s) && s.reg[m.fp] == entryOf(m.fp)
}

// leftWithoutFP is the same of hand-written code that uses fp for what it likes and
// has not kept it: nowhere is what it was on entry.
func (m *machine) leftWithoutFP(s *state) bool {
	if !m.returnable(s) || m.slotOf(s, m.fp) != 0 {
		return false
	}
	return !slices.Contains(s.reg[:], entryOf(m.fp))
}

// returnable reports whether control goes back to the caller from s: sp is as it was on
// entry, and lr leads there.
func (m *machine) returnable(s *state) bool {
	if s.reg[m.sp] != m.onEntry() {
		return false
	}
	return m.lr == numRegisters || s.reg[m.lr].num == m.lr && s.reg[m.lr].kind != unknown
}

// alike reports whether a and b have the same frame.
func (m *machine) alike(a, b *state) bool {
	same := a.reg[m.sp] == b.reg[m.sp] && a.reg[m.fp] == b.reg[m.fp]
	return same && (m.lr == numRegisters || m.slotOf(a, m.lr) == m.slotOf(b, m.lr))
}
