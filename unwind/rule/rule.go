// Package rule describes, as small values, how to find a function's caller, and
// applies that to a captured stack.
//
// A rule is algebra over the frame's registers and its stack, as
//
//	cfa = sp + 32; fp = *(cfa - 16); pc = *(cfa - 8)
//
// where the right-hand sides are of the frame, the left-hand sides of its caller, and
// the caller's sp is cfa. A register that no rule names keeps its value. A rule
// depends on the pc alone, never on registers or the stack, so it can be cached by
// pc.
package rule

import "stacksnap/task"

// CFA as the base of a [Value] is the canonical frame address: sp in the caller just
// before the call (DWARF 5, 6.4).
const CFA task.Reg = 0xff

// How says how a [Value] is computed.
type How uint8

// The kinds of values.
const (
	Lost    How = iota // not known in the caller
	Sum                // base + off
	Load               // *(base + off), one pointer
	Indexed            // base + index·scale + off, of [Loaded]; of a CFA only
)

// Value says how one of the caller's registers, or its CFA, is computed from the
// frame.
type Value struct {
	Off  int32
	Base task.Reg // a register of the frame, or CFA
	How  How
	Reg  task.Reg // in Rule.Saved: which register of the caller this is
}

// Add is the value base + off. With off 0 it is a copy of base.
func Add(base task.Reg, off int32) Value { return Value{How: Sum, Base: base, Off: off} }

// At is the value *(base + off): one pointer on the stack.
func At(base task.Reg, off int32) Value { return Value{How: Load, Base: base, Off: off} }

// MaxSaved is how many of the caller's registers a rule can name beside pc and sp:
// all that calls preserve on arm64 (x19–x28, fp) and one more.
const MaxSaved = 12

// Rule says how to compute the caller's registers from a frame's. It is comparable.
// The zero Rule is invalid: it has no CFA.
type Rule struct {
	// CFA is computed from registers of the frame; its Base is never CFA. The
	// caller's sp is CFA, unless Saved has another value for it.
	CFA Value
	// Loaded extends a CFA that is loaded or indexed; otherwise it is zero.
	Loaded Loaded
	// RA is the caller's pc, the return address: *(cfa - 8) on AMD64, lr or its saved
	// copy on ARM64. Authentication bits may still be set.
	RA Value
	// Saved holds the caller's other registers, the first N of them. Use Save to add
	// one.
	Saved [MaxSaved]Value
	N     uint8
	Flags Flags
	// Expression, when not nil, replaces CFA, RA and Saved.
	Expression Expression

	mixed bool // some value in Saved has a base other than CFA
}

// Loaded completes the CFA of a function that keeps its sp on entry in a word of the
// frame, such as a function that aligns sp. The word may be in an array. With
// Distance the word holds the distance from base instead:
//
//	cfa = *(base + index·scale + off) + over
//	cfa = *(base + index·scale + off) + base + over
type Loaded struct {
	Over     int32
	Index    task.Reg
	Scale    uint8 // 0: no index
	Distance bool
}

// Flags are properties of a frame.
type Flags uint8

// The flags.
const (
	// Signal: the frame is a signal trampoline. The caller was interrupted: its pc is
	// the next instruction to run, not a return address, and all its registers are
	// live.
	Signal Flags = 1 << iota
	// Signed: the return address contains an authentication code.
	Signed
	// Outermost: there is no caller.
	Outermost
	// OtherStack: the function switched stacks, so the caller's frame need not be
	// above this one.
	OtherStack
	// Calling, with Signal: the trampoline calls the handler, so its pc is a return
	// address. Without it, the handler only returns to the trampoline.
	Calling
	// Unproven: the rule may be wrong. Its result is accepted only if it is an
	// address after a call, and never as the end of a stack.
	Unproven
)

// Expression is a rule that does not fit into the fields of [Rule]: one with DWARF
// expressions, or with more registers than MaxSaved. Apply replaces the frame's
// registers by its caller's. If it fails, it leaves them unchanged. An implementation
// is immutable, is used by many goroutines at once, and does not allocate.
type Expression interface {
	Apply(s *State) error
}

// Save adds a register of the caller to the rule. It reports false when the rule is
// full; see [RegisterList].
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

// Valid reports whether the rule can be applied.
func (r *Rule) Valid() bool { return r.CFA.How != Lost || r.Expression != nil || r.Has(Outermost) }

// Bottom is the rule of a function that has no caller.
func Bottom() Rule { return Rule{Flags: Outermost} }
