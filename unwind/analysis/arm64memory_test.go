package analysis

import "testing"

// TestWrittenByMemory: loads, and what is exclusive or writes its base back, change x29
// where it is among the registers that they write. The code is as llvm-mc encodes it.
func TestWrittenByMemory(t *testing.T) {
	for _, c := range []struct {
		text   string
		code   uint32
		writes bool
	}{
		{"stlur x29, [x0]", 0xd900001d, false},
		{"stlurb w29, [x0]", 0x1900001d, false},
		{"stlur x0, [x29, #8]", 0xd90083a0, false},
		{"ldapur x29, [x0]", 0xd940001d, true},
		{"ldapurb w29, [x0]", 0x1940001d, true},
		{"ldapursb x29, [x0]", 0x1980001d, true},
		{"ldapursb w29, [x0]", 0x19c0001d, true},
		{"ldg x29, [x0]", 0xd960001d, true},
		{"stg x0, [x29, #32]", 0xd9202ba0, false},
		{"stg x0, [x29, #32]!", 0xd9202fa0, true},
		{"st2g x0, [x29], #32", 0xd9a027a0, true},
		{"cpyfp [x29]!, [x0]!, x1!", 0x1900043d, true},
		{"cpyfp [x0]!, [x29]!, x1!", 0x191d0420, true},
		{"cpyfp [x0]!, [x1]!, x29!", 0x190107a0, true},
		{"setp [x29]!, x0!, x1", 0x19c1041d, true},
		{"cpyp [x29]!, [x0]!, x1!", 0x1d00043d, true},
		{"cpym [x0]!, [x29]!, x1!", 0x1d5d0420, true},
		{"cpye [x0]!, [x1]!, x29!", 0x1d8107a0, true},
		{"setge [x29]!, x0!, x1", 0x1dc1841d, true},
		{"ld1 {v29.16b}, [x29]", 0x4c4073bd, false},
		{"ld1 {v29.16b}, [x29], #16", 0x4cdf73bd, true},
		{"st1 {v0.b}[1], [x29], #1", 0x0d9f07a0, true},
		{"ldr q29, [x29]", 0x3dc003bd, false},
		{"ldr q29, [x29], #16", 0x3cc107bd, true},
		{"stp q29, q0, [x29]", 0xad0003bd, false},
		{"ldr d29, #16", 0x5c00009d, false},
		{"prfm pldl1keep, [x29]", 0xf98003a0, false},
		{"ldxr x29, [x0]", 0xc85f7c1d, true},
		{"ldxp x0, x29, [x1]", 0xc87f7420, true},
		{"ldar x29, [x0]", 0xc8dffc1d, true},
		{"stlr x29, [x0]", 0xc89ffc1d, false},
		{"stxr w29, x0, [x1]", 0xc81d7c20, true},
		{"stxr w0, x29, [x1]", 0xc8007c3d, false},
		{"stxp w0, x29, x28, [x1]", 0xc820703d, false},
		{"cas x29, x0, [x1]", 0xc8bd7c20, true},
		{"cas x0, x29, [x1]", 0xc8a07c3d, false},
		{"casp x28, x29, x0, x1, [x2]", 0x483c7c40, true},
		{"casp x0, x1, x28, x29, [x2]", 0x48207c5c, false},
	} {
		s := arm64.entered()
		e := a64Effect{a64: a64(c.code), machine: &arm64, s: &s}
		if e.run(); (s.reg[x29] != entryOf(x29)) != c.writes {
			t.Errorf("%s: x29 is %+v", c.text, s.reg[x29])
		}
	}
}
