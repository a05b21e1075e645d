package analysis

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
	if v.kind != frame && v.kind != constant || off != int64(int32(off)) {
		return value{}
	}
	v.off = int32(off)
	return v
}

// Registers are numbered as instructions do: arm64 x0 to x30 and sp 31, x86_64
// rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
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
	// equal: the flags hold the comparison of sp with register equal-1.
	equal uint8
	// probe is a frame's size, which the call at hand preserves in the register
	// machine.size.
	probe value
}

// meet leaves in s what holds in o too, and reports whether that is less than
// before.
func (s *state) meet(o *state) bool {
	changed := false
	for i := range s.reg {
		if s.reg[i] != o.reg[i] && s.reg[i].kind != unknown {
			s.reg[i] = value{}
			changed = true
		}
	}
	for i := range s.slot {
		if s.slot[i] != o.slot[i] && s.slot[i] != 0 {
			s.slot[i] = 0
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
	// step decodes the instruction at off of code, and with s not nil carries out
	// what it does to s.
	step func(m *machine, code []byte, off uint32, s *state) inst
}

// entered is the state at a function's first instruction.
func (m *machine) entered() state {
	var s state
	for _, r := range m.kept {
		s.reg[r] = entryOf(r)
	}
	s.reg[m.sp] = atCFA(-m.pushed())
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
		k := s.reg[i].kind
		if k == constant || k == computed || k == above || k == frame && m.carry>>i&1 == 0 {
			s.reg[i] = value{}
		}
	}
	s.equal = 0
}

// store notes that v was written to the stack word at cfa + off.
func (m *machine) store(s *state, off int32, v value) {
	for i, r := range m.kept {
		saved := v.num == r && (v.kind == entry || v.kind == signed)
		switch {
		case saved && s.slot[i] == 0:
			s.slot[i] = off
		case !saved && s.slot[i] == off:
			s.slot[i] = 0
		}
	}
}

// load is what the stack word at cfa + off holds.
func (m *machine) load(s *state, off int32) value {
	for i, r := range m.kept {
		if s.slot[i] == off && off != 0 {
			return entryOf(r)
		}
	}
	if off >= 0 {
		return value{kind: above, off: off}
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

// left tells whether s is what a function leaves behind when it returns: the
// registers of its caller, and sp as it was on entry.
func (m *machine) left(s *state) bool {
	same := s.reg[m.sp] == atCFA(-m.pushed()) && s.reg[m.fp] == entryOf(m.fp)
	return same && (m.lr == numRegisters || s.reg[m.lr].num == m.lr && s.reg[m.lr].kind != unknown)
}

// alike tells whether a and b have the same frame.
func (m *machine) alike(a, b *state) bool {
	same := a.reg[m.sp] == b.reg[m.sp] && a.reg[m.fp] == b.reg[m.fp]
	return same && (m.lr == numRegisters || m.slotOf(a, m.lr) == m.slotOf(b, m.lr))
}
