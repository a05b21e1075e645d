package goswitch

// kind says what is known of a register after the call.
type kind uint8

const (
	unknown kind = iota
	word         // *(sp + off): a word that asmcgocall left at the stack pointer
	top          // *(*(sp + g) + hi): the end of the goroutine's stack
	place        // top - *(sp + off): an address on it
)

// value is what is known of a register.
type value struct {
	kind       kind
	g, hi, off int32
}

// loaded returns the value of the memory at v + disp.
func (v value) loaded(disp int32) value {
	if v.kind != word {
		return value{}
	}
	return value{kind: top, g: v.off, hi: disp}
}

// minus returns v - w.
func (v value) minus(w value) value {
	if v.kind != top || w.kind != word {
		return value{}
	}
	return value{kind: place, g: v.g, hi: v.hi, off: w.off}
}

// back follows the code after the call to its return. Once it has set sp, offsets are
// relative to that new sp: p.
type back struct {
	reg    [32]value
	p      value // what sp was set to
	on     bool  // sp was set
	moved  int32 // distance of sp above p
	fp, ra int32
	hasFP  bool
	hasRA  bool
}

// enter records that sp is set to v. It reports false if v does not lead back.
func (b *back) enter(v value) bool {
	if v.kind != word && v.kind != place {
		return false
	}
	b.on, b.p = true, v
	return true
}

// spares reports whether a store at sp + off keeps the words that the code still has
// to read: any at sp before sp is set, and afterwards the two of a frame record.
func (b *back) spares(off int32) bool { return b.on && off >= frameRecord }

// frameRecord is the size of a saved fp and pc in bytes; on ARM64, of what is in
// their place.
const frameRecord = 16
