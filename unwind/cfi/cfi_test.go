package cfi

import (
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// standard is what compilers start an AMD64 CIE with: cfa = rsp + 8, pc at
// cfa − 8.
var standard = []byte{opDefCFA, 7, 8, opOffset | 16, 1}

// rules are programs of an FDE of [0x1000, 0x1100) and what they mean at 0x1010.
var rules = []struct {
	name    string
	program []byte
	want    string // or the error
}{
	{"the CIE's own", nil, "cfa = sp + 8; pc = *(cfa - 8)"},
	{"advanced to", []byte{opAdvanceLoc | 16, opDefCFAOffset, 16}, "cfa = sp + 16; pc = *(cfa - 8)"},
	{"not yet advanced to", []byte{opAdvanceLoc | 17, opDefCFAOffset, 16}, "cfa = sp + 8; pc = *(cfa - 8)"},
	{"advanced in every size", []byte{opAdvanceLoc1, 1, opAdvanceLoc2, 2, 0, opAdvanceLoc4, 3, 0, 0, 0,
		opMIPSAdvanceLoc8, 4, 0, 0, 0, 0, 0, 0, 0, opDefCFAOffset, 24}, "cfa = sp + 24; pc = *(cfa - 8)"},
	{"set location", append(append([]byte{opSetLoc}, addr(0x1010)...), opDefCFAOffset, 24), "cfa = sp + 24; pc = *(cfa - 8)"},
	{"location back", append([]byte{opSetLoc}, addr(0xfff)...), "error: FDE at 0x12: malformed call frame information: location runs backwards"},
	{"restored as the CIE has it", []byte{opOffset | 16, 5, opRestore | 16}, "cfa = sp + 8; pc = *(cfa - 8)"},
	{"restored to nothing", []byte{opOffset | 3, 5, opRestoreExtended, 3}, "cfa = sp + 8; pc = *(cfa - 8)"},
	{"state restored with its CFA", []byte{opRememberState, opDefCFAOffset, 32, opOffset | 6, 2, opRestoreState}, "cfa = sp + 8; pc = *(cfa - 8)"},
	{"state restored, none remembered", []byte{opRestoreState}, "error: FDE at 0x12: call frame information remembers or restores too many states"},
	{"signed offsets", []byte{opDefCFASF, 6, 0x7e, opOffsetExtendedSF, 3, 2, opDefCFAOffsetSF, 0x7d}, "cfa = fp + 24; r3 = *(cfa - 16); pc = *(cfa - 8)"},
	{"negative extended", []byte{opGNUNegativeOffset, 3, 2}, "cfa = sp + 8; r3 = *(cfa + 16); pc = *(cfa - 8)"},
	{"values", []byte{opValOffset, 3, 2, opValOffsetSF, 12, 0x7e, opRegister, 13, 14}, "cfa = sp + 8; r3 = cfa - 16; r12 = cfa + 16; r13 = r14; pc = *(cfa - 8)"},
	{"undefined and same", []byte{opUndefined, 3, opSameValue, 12, opOffsetExtended, 13, 2}, "cfa = sp + 8; r3 = lost; r13 = *(cfa - 16); pc = *(cfa - 8)"},
	{"vector registers", []byte{opOffsetExtended, 17, 4, opOffsetExtended, 64, 4}, "cfa = sp + 8; pc = *(cfa - 8)"},
	{"argument sizes", []byte{opGNUArgsSize, 0x90, 1, opDefCFAOffset, 16}, "cfa = sp + 16; pc = *(cfa - 8)"},
	{"the outermost", []byte{opUndefined, 16}, "outermost"},
	{"pc in a register", []byte{opRegister, 16, 3}, "cfa = sp + 8; pc = r3"},
	{"realigned: the CFA on the stack", []byte{opDefCFAExpression, 3, 0x76, 0x78, dwDeref}, "cfa = *(fp - 8); pc = *(cfa - 8)"},
	{"a register at an expression", []byte{opExpression, 3, 2, 0x77, 16}, "cfa = sp + 8; r3 = *(sp + 16); pc = *(cfa - 8)"},
	{"a register by an expression of the CFA", []byte{opValExpression, 3, 2, dwPlusUconst, 8}, "cfa = sp + 8; r3 = cfa + 8; pc = *(cfa - 8)"},
	// cfa = rsp + 8 + ((rip & 15) >= 11) << 3, as of every procedure linkage table.
	{"linkage table", []byte{opDefCFAExpression, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}, "cfa = sp + 8; pc = *(cfa - 8)"},
	{"CFA in a register that is not kept", []byte{opDefCFARegister, 60}, "error: call frame information has no CFA"},
	{"unknown instruction", []byte{0x3f}, "error: FDE at 0x12: call frame instruction 0x3f is not known"},
	{"operand missing", []byte{opDefCFAOffset}, "error: FDE at 0x12: malformed call frame information"},
	{"expression too long", []byte{opDefCFAExpression, 200, 1}, "error: FDE at 0x12: malformed call frame information"},
}

func addr(a uint64) []byte { return binary.LittleEndian.AppendUint64(nil, a) }

func query(im *file, vmaddr uint64) rule.Query {
	return rule.Query{Arch: im.arch, Image: im.image(), PC: task.Addr(vmaddr), First: true}
}

func TestRules(t *testing.T) {
	for _, tt := range rules {
		t.Run(tt.name, func(t *testing.T) {
			var b builder
			b.fde(b.cie("", nil, standard...), 0x1000, 0x100, tt.program...)
			f := &file{arch: task.AMD64, sections: map[object.Kind]object.Section{object.DebugFrame: {Data: b.b}}}
			r, err := new(Source).Rule(query(f, 0x1010))
			got := r.Format(task.AMD64)
			if err != nil {
				got = "error: " + err.Error()
			}
			if got != tt.want {
				t.Errorf("%s (%v), want %s", got, err, tt.want)
			}
		})
	}
}

func TestLayouts(t *testing.T) {
	for _, b := range []builder{{}, {wide: true}, {eh: true}, {eh: true, wide: true}} {
		b.entry(-1, 9, 0) // of a version nobody knows
		cie := b.cie("", nil, standard...)
		b.fde(cie, 0x1000, 0x100)
		b.fde(cie, 0x2000, 0x100, opDefCFAOffset, 16)
		b.fde(cie, 0, 0x100)
		s := &table{section: *b.section()}
		for at, want := range map[uint64]uint64{0x1000: 0x1000, 0x10ff: 0x1000, 0x2080: 0x2000, 0xfff: 0, 0x1100: 0, 0x2100: 0, 5: 0} {
			f, err := s.find(at)
			if want == 0 {
				if !errors.Is(err, rule.ErrNone) {
					t.Errorf("eh %v, wide %v: %#x is covered by %+v, %v", b.eh, b.wide, at, f, err)
				}
			} else if err != nil || f.start != want {
				t.Errorf("eh %v, wide %v: %#x: %+v, %v", b.eh, b.wide, at, f, err)
			}
		}
	}
}

func TestAugmentations(t *testing.T) {
	for augmentation, tt := range map[string]struct {
		data   []byte
		signal bool
		err    string // a part of it
	}{
		"":        {},
		"zR":      {data: []byte{encSData4 | encPCRel}},
		"zRS":     {data: []byte{encAbsolute}, signal: true},
		"zPLR":    {data: []byte{encSData4 | encPCRel | encIndirect, 1, 2, 3, 4, 0x1b, encSData4 | encPCRel}},
		"zPLRS":   {data: []byte{encUData4 | encDataRel, 1, 2, 3, 4, 0x1b, encSData4 | encPCRel}, signal: true},
		"zPLRB":   {data: []byte{encUData8, 1, 2, 3, 4, 5, 6, 7, 8, 0x1b, encUData8}},
		"zRBG":    {data: []byte{encUData4}},
		"zR\x01":  {data: []byte{encUData4}, err: "letter '\\x01' is not known"},
		"zP":      {data: []byte{0x0d, 1, 2, 3, 4}, err: "encoding 0xd"},
		"zL":      {err: "malformed"},
		"mystery": {err: "augmentation \"mystery\" is not known"},
	} {
		b := builder{eh: true}
		b.cie(augmentation, tt.data, standard...)
		ci, err := b.section().cieAt(0)
		if !fails(err, tt.err) {
			t.Errorf("%q: %v", augmentation, err)
			continue
		}
		if err == nil && (ci.signal != tt.signal || ci.program.left() != len(standard)) {
			t.Errorf("%q: %+v", augmentation, ci)
		}
	}
}

func TestPointers(t *testing.T) {
	base := uint64(0x9000)
	for _, tt := range []struct {
		enc  uint8
		b    []byte
		want uint64
	}{
		{encAbsolute, []byte{1, 0, 0, 0, 0, 0, 0, 0x80}, 1<<63 | 1},
		{encUData2, []byte{0xff, 0xff}, 0xffff},
		{encSData2 | encPCRel, []byte{0xfe, 0xff}, 0x4ffe},
		{encUData4, []byte{0xff, 0xff, 0xff, 0xff}, 0xffffffff},
		{encSData4 | encDataRel, []byte{0xff, 0xff, 0xff, 0xff}, 0x8fff},
		{encSData8 | encFuncRel, []byte{1, 0, 0, 0, 0, 0, 0, 0}, 0x9001},
		{encUData8, []byte{1, 0, 0, 0, 0, 0, 0, 0x80}, 1<<63 | 1},
		{encSigned, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 1<<64 - 1},
		{encSData4, []byte{0xfe, 0xff, 0xff, 0xff}, 1<<64 - 2},
		{encULEB, []byte{0xe5, 0x8e, 0x26}, 624485},
		{encSLEB, []byte{0xc0, 0xbb, 0x78}, 1<<64 - 123456},
		{encAligned, []byte{1, 0, 0, 0, 0, 0, 0, 0}, 1},
	} {
		c := cursor{data: tt.b, addr: 0x5000}
		got, err := c.encoded(tt.enc, 8, bases{data: &base, function: &base})
		if err != nil || c.bad || got != tt.want {
			t.Errorf("encoding %#x: %#x, %v, want %#x", tt.enc, got, err, tt.want)
		}
	}
	for enc, says := range map[uint8]string{
		encOmit: "is omitted", encTextRel: "has no base", 0x60: "has no base", encDataRel: "has no base", encFuncRel: "has no base",
		0x05: "unknown", 0x06: "unknown", 0x07: "unknown", 0x0d: "unknown", 0x0e: "unknown", 0x0f: "unknown",
	} {
		c := cursor{data: make([]byte, 8)}
		if _, err := c.encoded(enc, 8, bases{}); !fails(err, says) {
			t.Errorf("encoding %#x has no meaning: %v", enc, err)
		}
	}
}

// hdr builds a table for the FDEs, each number relative to the header.
func hdr(pairs ...uint64) object.Section {
	return hdrFrom(0x4000, encSData4|encDataRel, pairs...)
}

// hdrFrom builds one with numbers of four bytes relative to something else.
func hdrFrom(base uint64, encoding uint8, pairs ...uint64) object.Section {
	b := []byte{1, encSData4 | encPCRel, encUData4, encoding, 0, 0, 0, 0}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(pairs)/2))
	for _, p := range pairs {
		b = binary.LittleEndian.AppendUint32(b, uint32(p-base))
	}
	return object.Section{VMAddr: 0x4000, Data: b}
}

func TestHeader(t *testing.T) {
	b := builder{eh: true}
	cie := b.cie("", nil, standard...)
	one := 0x5000 + uint64(b.fde(cie, 0x1000, 0x100))
	two := 0x5000 + uint64(b.fde(cie, 0x2000, 0x100))
	for name, tt := range map[string]struct {
		hdr object.Section
		err string // a part of it
	}{
		"good":                 {hdr(0x1000, one, 0x2000, two), ""},
		"leads to a CIE":       {hdr(0x1000, 0x5000, 0x2000, 0x5000), ""},
		"leads out of it":      {hdr(0x1000, 1, 0x2000, 1<<20), ""},
		"leads to another FDE": {hdr(0x1000, two, 0x2000, two), ""},
		"not sorted":           {hdr(0x2000, two, 0x1000, one), "not sorted"},
		"cut":                  {object.Section{VMAddr: 0x4000, Data: hdr(0x1000, one).Data[:14]}, "1 entries of encoding 0x3b"},
		"empty":                {object.Section{}, "version 0"},
		"to the end":           {object.Section{VMAddr: 0x4000, Data: hdr(0x1000, one, 0x2000, two, 0x3000, 0x1000).Data[:28]}, "3 entries of encoding 0x3b"},
		"absolute":             {hdrFrom(0, encUData4, 0x1000, one, 0x2000, two), ""},
		"relative to places":   {hdrFrom(0x4000, encSData4|encPCRel, 0x1000, one, 0x2000, two), "encoding 0x1b"},
	} {
		f := &file{arch: task.AMD64, sections: map[object.Kind]object.Section{
			object.EHFrame: {VMAddr: 0x5000, Data: b.b}, object.EHFrameHdr: tt.hdr}}
		if _, err := newHeader(tt.hdr, 8); !fails(err, tt.err) {
			t.Errorf("%s: %v", name, err)
		}
		var s Source
		for at, want := range map[uint64]bool{0x1000: true, 0x10ff: true, 0x2000: true, 0x20ff: true, 0x2100: false, 0xfff: false} {
			if _, err := s.Rule(query(f, at)); (err == nil) != want || err != nil && !errors.Is(err, rule.ErrNone) {
				t.Errorf("%s: %#x: %v", name, at, err)
			}
		}
	}
}

// TestHeaderOf32Bits: addresses are of 32 bits, whatever they are relative to.
func TestHeaderOf32Bits(t *testing.T) {
	sec := hdrFrom(0, encSData4|encDataRel, 0x1001, 0x2003)
	sec.VMAddr = 0xffff_f800
	h, err := newHeader(sec, 4)
	if err != nil {
		t.Fatal(err)
	}
	if at, ok := h.find(0x801); !ok || at != 0x1803 {
		t.Errorf("FDE at %#x, %v, want 0x1803", at, ok)
	}
	if at, ok := h.find(0x800); ok {
		t.Errorf("FDE at %#x of what is before the first", at)
	}
}

func TestSwappedRegistersOfDarwinI386(t *testing.T) {
	b := builder{eh: true}
	cie := b.entry(-1, 1, 0, 1, 0x7c, 8, opDefCFA, 5, 4, opOffset|8, 1)
	b.entry(cie, 0, 0x10, 0, 0, 0, 1, 0, 0, opOffset|4, 2)
	f := &file{arch: task.I386, sections: map[object.Kind]object.Section{object.EHFrame: {VMAddr: 0x5000, Data: b.b}},
		segments: []object.Segment{{Name: "__TEXT"}}}
	r, err := new(Source).Rule(query(f, 0x1010))
	if got, want := r.Format(task.I386), "cfa = sp + 4; fp = *(cfa - 8); pc = *(cfa - 4)"; got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestGoFramePointer(t *testing.T) {
	for _, tt := range []struct {
		arch    task.Arch
		ra      byte
		program []byte
		symbol  string
		want    string
	}{
		{task.AMD64, 16, []byte{opDefCFA, 7, 8, opOffset | 16, 2}, "", "cfa = sp + 8; pc = *(cfa - 8)"},
		{task.AMD64, 16, []byte{opDefCFA, 7, 48, opOffset | 16, 2}, "", "cfa = sp + 48; fp = *(cfa - 16); pc = *(cfa - 8)"},
		{task.ARM64, 30, []byte{opDefCFA, 31, 0}, "", "cfa = sp; pc = lr"},
		{task.ARM64, 30, []byte{opDefCFA, 31, 32, opOffset | 30, 8}, "", "cfa = sp + 32; fp = *(cfa - 40); pc = *(cfa - 32)"},
	} {
		var b builder
		cie := b.entry(-1, append([]byte{3, 0, 1, 0x7c, tt.ra}, tt.program...)...)
		b.fde(cie, 0x1000, 0x100)
		f := &file{arch: tt.arch, sections: map[object.Kind]object.Section{object.DebugFrame: {Data: b.b}}}
		r, err := new(Source).Rule(query(f, 0x1010))
		if got := r.Format(tt.arch); got != tt.want {
			t.Errorf("%s, %v, want %s", got, err, tt.want)
		}
	}
}

func TestCrosscall2(t *testing.T) {
	var b builder
	cie := b.entry(-1, 3, 0, 1, 0x7c, 30, opDefCFA, 31, 0xc0, 1)
	b.fde(cie, 0x1000, 0x100)
	f := &file{arch: task.ARM64, sections: map[object.Kind]object.Section{object.DebugFrame: {Data: b.b}},
		symbols: map[uint64]string{0x1000: "crosscall2"}}
	r, err := new(Source).Rule(query(f, 0x1010))
	// As runtime/cgo/asm_arm64.s stores them, from sp + 32 on.
	want := "cfa = sp + 192; r19 = *(cfa - 160); r20 = *(cfa - 152); r21 = *(cfa - 144); r22 = *(cfa - 136); r23 = *(cfa - 128); " +
		"r24 = *(cfa - 120); r25 = *(cfa - 112); r26 = *(cfa - 104); r27 = *(cfa - 96); r28 = *(cfa - 88); fp = *(cfa - 16); pc = *(cfa - 8)"
	if err != nil || r.Format(task.ARM64) != want {
		t.Errorf("%s, %v\nwant %s", r.Format(task.ARM64), err, want)
	}
}

// wideRule is the rule of a program that does not fit into a small value.
func wideRule(t *testing.T, program ...byte) rule.Rule {
	var b builder
	b.fde(b.cie("", nil, standard...), 0x1000, 0x100, program...)
	f := &file{arch: task.AMD64, sections: map[object.Kind]object.Section{object.DebugFrame: {Data: b.b}}}
	r, err := new(Source).Rule(query(f, 0x1010))
	if err != nil || r.Expression == nil {
		t.Fatalf("%v, %v", r, err)
	}
	return r
}

func TestWide(t *testing.T) {
	words := []uint64{0x7000_0010, 0, 0xcafe, 77, 5}
	th := &task.Thread{}
	var stack []byte
	for _, w := range words {
		stack = binary.LittleEndian.AppendUint64(stack, w)
	}
	th.Stacks = []task.Stack{{Base: 0x7000_0000, Bytes: stack}}
	th.Registers.Arch = task.AMD64
	th.Registers.Set(7, 0x7000_0000)
	th.Registers.Set(16, 0x1010)
	// cfa = *(rsp) + 8; rbx = *(*(rsp) + 8); r12 = rsp × 2; r13 lost; r14 = rsp
	r := wideRule(t,
		opDefCFAExpression, 5, 0x77, 0, dwDeref, dwPlusUconst, 8,
		opExpression, 3, 5, 0x77, 0, dwDeref, dwPlusUconst, 8,
		opValExpression, 12, 4, 0x77, 0, dwDup, dwPlus,
		opUndefined, 13, opRegister, 14, 7)
	th.Registers.Set(13, 1)
	var s rule.State
	s.Reset(th)
	if err := s.Apply(&r); err != nil {
		t.Fatal(err)
	}
	for reg, want := range map[task.Reg]uint64{7: 0x7000_0018, 16: 0xcafe, 3: 77, 12: 0xe000_0000, 14: 0x7000_0000} {
		if got, ok := s.Regs.Value(reg); !ok || got != want {
			t.Errorf("r%d = %#x, %v, want %#x", reg, got, ok, want)
		}
	}
	if _, ok := s.Regs.Value(13); ok {
		t.Error("r13 is known")
	}
	if n := testing.AllocsPerRun(100, func() { s.Reset(th); _ = s.Apply(&r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	th.Registers.Set(7, 0x1234)
	s.Reset(th)
	if err := s.Apply(&r); !errors.Is(err, rule.ErrNotCaptured) || s.Regs != th.Registers {
		t.Errorf("%v", err)
	}
}

func TestExpressions(t *testing.T) {
	for _, tt := range []struct {
		code []byte
		want uint64
		err  string // a part of it
	}{
		{code: []byte{0x35, 0x33, dwMinus}, want: 2},
		{code: []byte{0x35, 0x33, dwSwap, dwMinus}, want: 1<<64 - 2},
		{code: []byte{dwConst1s, 0xf6, 0x33, dwDiv}, want: 1<<64 - 3},
		{code: []byte{dwConst2s, 0xf6, 0xff, dwAbs}, want: 10},
		{code: []byte{dwConst4s, 0xf6, 0xff, 0xff, 0xff, 0x31, dwShra}, want: 1<<64 - 5},
		{code: []byte{dwConstu, 0x80, 1, 0x31, dwShr}, want: 64},
		{code: []byte{dwConsts, 0x7f, dwNeg, dwNot}, want: 1<<64 - 2},
		{code: []byte{0x37, 0x33, dwMod, 0x35, dwMul}, want: 5},
		{code: []byte{0x3c, 0x3a, dwAnd, 0x31, dwOr, 0x3f, dwXor}, want: 6},
		{code: []byte{0x31, 0x32, 0x33, dwRot, dwDrop, dwOver, dwPick, 2, dwMinus, dwPlus}, want: 1},
		{code: []byte{dwConst1s, 0xff, 0x31, dwLt}, want: 1},
		{code: []byte{0x32, 0x31, dwLe}, want: 0},
		{code: []byte{0x32, 0x31, dwGt}, want: 1},
		{code: []byte{0x32, 0x32, dwEq}, want: 1},
		{code: []byte{0x32, 0x32, dwNe}, want: 0},
		{code: []byte{0x31, dwBra, 1, 0, 0x35, 0x36}, want: 6},
		{code: []byte{dwSkip, 1, 0, 0x35, 0x36, dwNop}, want: 6},
		{code: []byte{dwAddr, 1, 0, 0, 0, 0, 0, 0, 0x10}, want: 0x10<<56 | 1},
		{code: []byte{dwConst8u, 1, 0, 0, 0, 0, 0, 0, 0}, want: 1},
		{code: []byte{dwConst1u, 200, 0x30, dwShl}, want: 200},
		{code: []byte{0x31, dwConst1u, 200, dwShl}, want: 0},
		{code: []byte{0x31, 0x30, dwDiv}, err: "division by zero"},
		{code: []byte{0x31, 0x30, dwMod}, err: "division by zero"},
		{code: []byte{dwPlus}, err: "value is missing"},
		{code: []byte{0x31, dwOver}, err: "value is missing"},
		{code: []byte{0x31, dwPick, 9}, err: "value is missing"},
		{code: []byte{dwSkip, 0xfd, 0xff}, err: "runs on"}, // for ever
		{code: []byte{dwSkip, 0xf0, 0xff}, err: "jump out"},
		{code: []byte{0x31, dwSkip, 1, 0}, err: "jump out"},
		{code: []byte{0x9c}, err: "operation 0x9c"}, // the CFA, of which this is the definition
		{code: []byte{0x31, dwDerefSize, 9}, err: "load of 9 bytes"},
		{code: []byte{}, err: "value is missing"},
		{code: []byte{0x77, 0, 0x77, 0, dwMul}, err: "no simple value"},
	} {
		s := &section{pointerSize: 8}
		e := evaluator{sec: s, arch: task.AMD64}
		got, err := e.eval(cursor{data: tt.code})
		if !fails(err, tt.err) || err == nil && got.n != tt.want {
			t.Errorf("% x: %#x, %v, want %#x, %s", tt.code, got.n, err, tt.want, tt.err)
		}
	}
}

// fails reports whether an error is the one that says a text; none: there is no error.
func fails(err error, says string) bool {
	if err == nil || says == "" {
		return err == nil && says == ""
	}
	return strings.Contains(err.Error(), says)
}

func TestTablesGoWithTheirImage(t *testing.T) {
	var s Source
	var b builder
	b.fde(b.cie("", nil, standard...), 0x1000, 0x100)
	f := &file{arch: task.AMD64, sections: map[object.Kind]object.Section{object.DebugFrame: {Data: b.b}}}
	gone := make(chan struct{})
	func() {
		q := query(f, 0x1000)
		runtime.AddCleanup(q.Image, func(c chan struct{}) { close(c) }, gone)
		if _, err := s.Rule(q); err != nil {
			t.Fatal(err)
		}
	}()
	for deadline := time.Now().Add(10 * time.Second); ; runtime.GC() {
		select {
		case <-gone:
			return
		default:
			if time.Now().After(deadline) {
				t.Fatal("the source holds the image")
			}
		}
	}
}

func BenchmarkRuleCold(b *testing.B) {
	var built builder
	cie := built.cie("", nil, standard...)
	for i := range uint64(24_000) {
		built.fde(cie, 0x1000+i*0x100, 0x100, opAdvanceLoc|4, opDefCFAOffset, 16, opOffset|6, 2)
	}
	f := &file{arch: task.AMD64, sections: map[object.Kind]object.Section{object.DebugFrame: {Data: built.b}}}
	q := query(f, 0x1010)
	var s Source
	for b.Loop() {
		if _, err := s.Rule(q); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIndex24000(b *testing.B) {
	var inOrder, outOfOrder builder
	cie, other := inOrder.cie("", nil, standard...), outOfOrder.cie("", nil, standard...)
	for i := range uint64(24_000) {
		inOrder.fde(cie, 0x1000+i*0x100, 0x100, opAdvanceLoc|4, opDefCFAOffset, 16, opOffset|6, 2)
		outOfOrder.fde(other, 0x1000+i*7%24_000*0x100, 0x100, opAdvanceLoc|4, opDefCFAOffset, 16, opOffset|6, 2)
	}
	for name, built := range map[string]*builder{"in order": &inOrder, "out of order": &outOfOrder} {
		b.Run(name, func(b *testing.B) {
			s := built.section()
			for b.Loop() {
				if ix, err := newIndex(s); err != nil || len(ix) != 24_000 {
					b.Fatal(len(ix), err)
				}
			}
		})
	}
}

// BenchmarkHeader24000 is the first question about a file with a table.
func BenchmarkHeader24000(b *testing.B) {
	var pairs []uint64
	for i := range uint64(24_000) {
		pairs = append(pairs, 0x8000+i*0x100, 0x100_0000+i*32)
	}
	sec := hdr(pairs...)
	for b.Loop() {
		if h, err := newHeader(sec, 8); err != nil || h.count != 24_000 {
			b.Fatal(h, err)
		}
	}
}
