// Package rule says, as small values, how a function's caller is found from
// where the function stands, and carries that out on a captured stack.
//
// A rule is algebra over the frame's registers and its stack, as
//
//	cfa = sp + 32; fp = *(cfa - 16); pc = *(cfa - 8)
//
// where the right-hand sides speak of the frame, the left-hand sides of its
// caller, and the caller's sp is cfa. A register that no rule names keeps its
// value. Rules depend on the pc alone, never on registers or the stack, so they
// can be cached by pc.
package rule

import "stacksnap/task"

// CFA stands as the base of a [Value] for the canonical frame address: what sp
// was in the caller just before the call (DWARF 5, 6.4).
const CFA task.Reg = 0xff

// How says what a [Value]'s base and offset mean.
type How uint8

// The kinds of values.
const (
	Lost    How = iota // not known in the caller
	Sum                // base + off
	Load               // *(base + off), one pointer
	Indexed            // base + index·scale + off, of [Loaded]; of a CFA only
)

// Value says how one of the caller's registers, or its CFA, is computed from the frame.
type Value struct {
	Off  int32
	Base task.Reg // a register of the frame, or CFA
	How  How
	Reg  task.Reg // which register of the caller this is; in Rule.Saved only
}

// Add is the value base + off. With off 0 it is the value of another register.
func Add(base task.Reg, off int32) Value { return Value{How: Sum, Base: base, Off: off} }

// At is the value *(base + off): one pointer on the stack.
func At(base task.Reg, off int32) Value { return Value{How: Load, Base: base, Off: off} }

// MaxSaved is how many registers of the caller a rule can name, beside pc and
// sp: all that calls preserve on arm64 (x19–x28, fp) and one more.
const MaxSaved = 12

// Rule is how to get the caller's registers from a frame's. It is comparable.
// The zero Rule is invalid: it has no CFA.
type Rule struct {
	// CFA is had from registers of the frame; its Base is never CFA. The caller's sp
	// is CFA, unless Saved has another value for it.
	CFA Value
	// Loaded says more of a CFA that is loaded or indexed; it is 0 of another.
	Loaded Loaded
	// RA is the caller's pc, the return address: *(cfa - 8) on AMD64, lr or the
	// place where lr was saved on ARM64. Bits that authenticate it may still be set.
	RA Value
	// Saved are the other registers of the caller, the first N of them. They are
	// added by Save alone.
	Saved [MaxSaved]Value
	N     uint8
	Flags Flags
	// Wide, when not nil, replaces CFA, RA and Saved.
	Wide Wide

	mixed bool // Saved has values that are made from registers
}

// Loaded is how the CFA is had in functions that keep the sp of their entry in a word
// of the frame, as those do that align sp, behind an array or not, or with Distance how
// far that is from base:
//
//	cfa = *(base + index·scale + off) + over
//	cfa = *(base + index·scale + off) + base + over
type Loaded struct {
	Over     int32
	Index    task.Reg
	Scale    uint8 // 0: there is no index
	Distance bool
}

// Flags are properties of a frame.
type Flags uint8

// The flags.
const (
	// Signal: the frame is a signal trampoline. The caller was interrupted, so its
	// pc is an instruction not yet executed, not a return address, and all of its
	// registers are live.
	Signal Flags = 1 << iota
	// Signed: the return address has an authentication code in it here.
	Signed
	// Outermost: there is no caller.
	Outermost
	// OtherStack: the function has switched stacks, so that its caller's need not
	// lie above its own.
	OtherStack
	// Calling, with Signal: the trampoline calls the handler, so that its pc is a
	// return address. Others only are returned to.
	Calling
	// Unproven: the rule may be of other code than the frame's. It is believed when
	// it leads to where a call returns to, and never for the end of a stack.
	Unproven
)

// Wide is a rule that does not fit into [Rule]'s fields: one with expressions,
// or with more registers than MaxSaved. Apply turns the frame's registers into
// its caller's, and leaves them alone when it fails. It is immutable, used by
// many goroutines at once, and does not allocate.
type Wide interface {
	Apply(s *State) error
}

// Save adds a register of the caller to the rule. It reports false when the
// rule is full; see [Long].
func (r *Rule) Save(reg task.Reg, v Value) bool {
	if int(r.N) == MaxSaved {
		return false
	}
	v.Reg = reg
	r.Saved[r.N] = v
	r.N++
	r.mixed = r.mixed || v.Base != CFA
	return true
}

// Has reports whether the rule has all of the flags f.
func (r *Rule) Has(f Flags) bool { return r.Flags&f == f }

// Valid reports whether the rule can be applied at all.
func (r *Rule) Valid() bool { return r.CFA.How != Lost || r.Wide != nil || r.Has(Outermost) }

// Bottom is the rule of a function that has no caller.
func Bottom() Rule { return Rule{Flags: Outermost} }
