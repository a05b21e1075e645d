package goswitch

// kind says what is known of a register behind the call.
type kind uint8

const (
	unknown kind = iota
	word         // *(sp + off): a word that was left at the stack pointer
	top          // *(*(sp + g) + hi): the end of the goroutine's stack
	place        // top - *(sp + off): a place on it
)

// value is what is known of a register.
type value struct {
	kind       kind
	g, hi, off int32
}

// loaded is what base + disp holds, if base is a word.
func (v value) loaded(disp int32) value {
	if v.kind != word {
		return value{}
	}
	return value{kind: top, g: v.off, hi: disp}
}

// minus is v - w, if that is a place.
func (v value) minus(w value) value {
	if v.kind != top || w.kind != word {
		return value{}
	}
	return value{kind: place, g: v.g, hi: v.hi, off: w.off}
}

// back follows the code behind the call up to where it returns. Once it has set
// sp, all is told relative to where that is: p.
type back struct {
	reg    [32]value
	p      value // what sp was set to
	on     bool  // sp was set
	moved  int32 // how far sp is above p
	fp, ra int32
	hasFP  bool
	hasRA  bool
}

// enter notes that sp is set. It must be to what leads back.
func (b *back) enter(v value) bool {
	if v.kind != word && v.kind != place {
		return false
	}
	b.on, b.p = true, v
	return true
}

// spares reports whether a store of some bytes at sp + off leaves alone the words
// that the code still has to read: all at sp before it is set, and the two of a
// frame record behind that.
func (b *back) spares(off int32) bool { return b.on && off >= frameRecord }

// frameRecord is the size of fp and pc, and on ARM64 of what takes their place.
const frameRecord = 16
