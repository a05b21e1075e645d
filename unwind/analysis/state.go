package analysis

import "slices"

// kind is what is known of a register.
type kind uint8

const (
	unknown  kind = iota
	entry         // what register num held when the function was entered
	signed        // the same, with an authentication code
	frame         // cfa + off
	constant      // off
	above         // the word at cfa + off, which is in the caller's frame
	computed      // the sum of two registers, as an address from a jump table is
	aligned       // base + off, where base is what sp was set to, at an unknown distance from the CFA
	gap           // cfa + off - base, the distance by which sp was moved to base
	scaled        // cfa + off + num vector lengths, num being signed
)

// swiftAsyncBit is set in a saved frame pointer that has a Swift async context below
// it (xnu osfmk/kern/backtrace.c).
const swiftAsyncBit = 60

// value is what is known of a register before an instruction, on every path to it.
type value struct {
	off  int32
	kind kind
	num  uint8
}

func atCFA(off int32) value { return value{kind: frame, off: off} }
func entryOf(r uint8) value { return value{kind: entry, num: r} }

// add returns v + n, or unknown.
func (v value) add(n int64) value {
	off := int64(v.off) + n
	if v.kind != frame && v.kind != constant && v.kind != aligned && v.kind != gap && v.kind != scaled || off != int64(int32(off)) {
		return value{}
	}
	v.off = int32(off)
	return v
}

// Registers are numbered as in instructions: arm64 x0 to x30 and sp 31, armv7 r0 to
// r15, x86_64 rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15, i386 the first
// eight.
const numRegisters = 32

// maxKept is the maximum number of preserved registers whose save slots are tracked:
// x19 to x30.
const maxKept = 12

// state is what is known before an instruction runs. The zero state knows nothing.
type state struct {
	reg [numRegisters]value
	// slot[i] is the offset from the CFA of the stack word that holds the i-th kept
	// register's value on entry; 0: none.
	slot [maxKept]int32
	// below[i] is the same relative to base, for registers saved after sp was set to
	// base.
	below [maxKept]int32
	home  home
	// equal: the flags hold the comparison of sp with register equal-1.
	equal uint8
	// block is how many more instructions a Thumb it instruction makes conditional.
	block uint8
	// moved: sp may have been moved on a condition on which the function is being
	// left.
	moved bool
	// probe is a frame's size, which the next call preserves in the register
	// machine.size.
	probe value
}

// home is the word where a function keeps an address of its frame while sp is
// aligned, or the distance that sp was moved: the word at base + at holds cfa + off,
// or with gap cfa + off - base.
type home struct {
	place
	known bool
	gap   bool
	off   int32
}

// place is the address base + at + index·scale. With a scale it is valid until index
// changes.
type place struct {
	at           int32
	index, scale uint8
}

// keep records that v was written to the word at p.
func (h *home) keep(p place, v value) {
	switch {
	case (v.kind == frame || v.kind == gap) && (!h.known || h.place == p):
		*h = home{p, true, v.kind == gap, v.off}
	case h.place == p:
		h.known = false
	}
}

// overwritten records that registers, a bit each, have changed.
func (h *home) overwritten(registers uint32) {
	if h.scale != 0 && registers>>h.index&1 != 0 {
		h.known = false
	}
}

// meet keeps in s only what also holds in o, and reports whether that changed s.
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

// machine describes an architecture to the analysis.
type machine struct {
	unit  uint32 // alignment of instructions, in bytes
	sp    uint8
	fp    uint8
	lr    uint8   // numRegisters: calls push the return address
	word  int32   // size of a pointer
	size  uint8   // the register with a stack probe's size; other calls do not preserve it
	kept  []uint8 // registers that calls preserve, and lr
	carry uint32  // registers whose values beside those on entry survive joins
	dwarf [numRegisters]uint8
	// step decodes the instruction at off of code into in and, if s is not nil,
	// applies its effect to s. (A result would be copied twice for each instruction.)
	step func(m *machine, code []byte, off uint32, s *state, in *inst)
}

// entered returns the state at a function's first instruction.
func (m *machine) entered() state {
	var s state
	for _, r := range m.kept {
		s.reg[r] = entryOf(r)
	}
	s.reg[m.sp] = m.onEntry()
	return s
}

// pushed returns how many bytes a call pushes.
func (m *machine) pushed() int32 {
	if m.lr == numRegisters {
		return m.word
	}
	return 0
}

// join forgets what differs between iterations of a loop and a walk does not need, so
// that few blocks run twice.
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

// onEntry returns sp at a function's first instruction.
func (m *machine) onEntry() value { return atCFA(-m.pushed()) }

// anchor makes sp the new base if it has been aligned, or moved by an unknown
// distance.
func (m *machine) anchor(s *state) {
	if k := s.reg[m.sp].kind; k != unknown && k != computed {
		return
	}
	for i := range s.reg {
		if k := s.reg[i].kind; k == aligned || k == gap { // relative to the old base
			s.reg[i] = value{}
		}
	}
	s.reg[m.sp], s.home, s.below = value{kind: aligned}, home{}, [maxKept]int32{}
}

// store records that v was written to the stack word at cfa + off.
func (m *machine) store(s *state, off int32, v value) { m.save(&s.slot, off, v) }

// save updates the slots of the preserved registers after v was written to the word
// at off.
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

// load returns the value of the stack word at cfa + off.
func (m *machine) load(s *state, off int32) value {
	if v := m.saved(&s.slot, off); v.kind != unknown {
		return v
	}
	if off >= 0 {
		return value{kind: above, off: off}
	}
	return value{}
}

// saved returns the value that was saved in the slot at off.
func (m *machine) saved(slots *[maxKept]int32, off int32) value {
	for i, r := range m.kept {
		if slots[i] == off && off != 0 {
			return entryOf(r)
		}
	}
	return value{}
}

// called applies a call: it forgets the registers that calls do not preserve.
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
		// Outlined code preserves the register where its caller keeps lr. If lr is
		// nowhere else, the call must be to such code.
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

// left reports whether s is a valid state at a return: the caller's registers are
// restored, and sp is as on entry.
func (m *machine) left(s *state) bool {
	return m.returnable(s) && s.reg[m.fp] == entryOf(m.fp)
}

// leftWithoutFP is left for hand-written code that uses fp freely and has not saved
// it: the caller's fp is nowhere.
func (m *machine) leftWithoutFP(s *state) bool {
	if !m.returnable(s) || m.slotOf(s, m.fp) != 0 {
		return false
	}
	return !slices.Contains(s.reg[:], entryOf(m.fp))
}

// returnable reports whether control can return to the caller from s: sp is as on
// entry, and lr is the return address.
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
