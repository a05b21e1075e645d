package dwarf

import (
	"strings"
	"testing"

	"stacksnap/images/object"
)

// The entries of cycles, by code.
const (
	cRoot  = 1 // low_pc, high_pc, stmt_list, str_offsets_base
	cSpec  = 2 // low_pc, high_pc, specification
	cPlain = 3 // abstract_origin
	cNamed = 4 // low_pc, high_pc, name by its number in .debug_str_offsets
)

// cycleData is a unit of version 5 with such entries, from 0x1000 on.
func cycleData(base uint32, entries raw, sections map[string]raw) *Data {
	const addr, data4, ref4, sec = formAddr, formData4, formRef4, formSecOffset
	abbrevs := raw{}.uleb(cRoot, 0x11, 1, 0x11, addr, 0x12, data4, 0x10, sec, 0x72, sec, 0, 0)
	abbrevs = abbrevs.uleb(cSpec, 0x2e, 0, 0x11, addr, 0x12, data4, 0x47, ref4, 0, 0)
	abbrevs = abbrevs.uleb(cPlain, 0x2e, 0, 0x31, ref4, 0, 0)
	abbrevs = abbrevs.uleb(cNamed, 0x2e, 0, 0x11, addr, 0x12, data4, 0x03, formStrx4, 0, 0, 0)
	r := append(raw{}.u16(5), 1, 8).u32(0)
	r = r.uleb(cRoot).u64(0x1000).u32(0x1000).u32(0).u32(base)
	r = append(append(r, entries...), 0)
	info := append(raw{}.u32(uint32(len(r))), r...)
	return New(func(name string) Section {
		switch name {
		case "info":
			return Bytes(info)
		case "abbrev":
			return Bytes(abbrevs)
		}
		if s, ok := sections[name]; ok {
			return Bytes(s)
		}
		return nil
	}, object.NewBudget(4<<20, 64<<20))
}

// cycleEntries is where the first entry of such a unit stands.
const cycleEntries = 12 + 21

// TestCycles leads from entry to entry by specifications and abstract origins: in
// circles of one, two, and both kinds, along a chain of 10,000, out of the unit.
func TestCycles(t *testing.T) {
	function := func(to uint32) raw { return raw{}.uleb(cSpec).u64(0x1000).u32(0x10).u32(to) }
	plain := func(to uint32) raw { return raw{}.uleb(cPlain).u32(to) }
	const first, second, size = cycleEntries, cycleEntries + 17, 5
	chain := function(second)
	for i := range uint32(10_000) {
		chain = append(chain, plain(second+(i+1)*size)...)
	}
	for name, entries := range map[string]raw{
		"itself":       function(first),
		"there, back":  append(function(second), plain(first)...),
		"off the side": append(append(function(second), plain(second+size)...), plain(second)...),
		"chain":        chain,
		"outside":      function(1 << 31),
		"header":       function(0),
		"within":       function(first + 3),
	} {
		if f := cycleData(0, entries, nil).Frames(0x1004); len(f) != 1 || f[0].Function != "" || f[0].Low != 0x1000 {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestStringOffsetsOutOfBounds has names whose numbers, or whose table, lead outside of
// .debug_str_offsets, and offsets that lead outside of .debug_str.
func TestStringOffsetsOutOfBounds(t *testing.T) {
	for _, c := range []struct {
		base, number uint32
		want         string
	}{
		{8, 0, "work"}, {8, 1, ""}, {8, 2, ""}, {8, 1 << 30, ""}, {8, 0xffffffff, ""},
		{0xffffffff, 0, ""}, {0xffffffff, 0xffffffff, ""}, {16, 0, ""}, {13, 0, ""},
	} {
		offsets := append(raw{}.u32(12).u16(5).u16(0).u32(1), raw{}.u32(1<<31)...)
		d := cycleData(c.base, raw{}.uleb(cNamed).u64(0x1000).u32(0x10).u32(c.number),
			map[string]raw{"str_offsets": offsets, "str": raw("\x00work\x00")})
		if f := d.Frames(0x1004); len(f) != 1 || f[0].Function != c.want {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

// TestLineProgramLeaps advances by all there is, and over the end of the addresses.
func TestLineProgramLeaps(t *testing.T) {
	const most = 1<<64 - 1
	leap := raw{}.uleb(2, most) // DW_LNS_advance_pc
	for name, program := range map[string]raw{
		"over the end": append(append(sequenceFrom(0x1000), 10+5), append(leap, 10+5, 0, 1, lneEndSequence)...),
		"for ever":     append(append(sequenceFrom(0x1000), 10+5), strings.Repeat(string(append(leap, 10+5)), 100_000)...),
		"lines":        append(append(sequenceFrom(0x1000), 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 10+5), 10+14*8+5, 0, 1, lneEndSequence),
		"long opcode":  append(sequenceFrom(0x1000), raw{0}.uleb(most)...),
		"of nothing":   append(sequenceFrom(0x1000), strings.Repeat("\x00\x00", 100_000)...),
	} {
		b := object.NewBudget(1<<20, 16<<20)
		d := madeData(made(append(functionAt(0x1000, 0x10, 0), 0, 0)), lineProgram(program), nil, b)
		if f := d.Frames(0x1002); len(f) != 1 || f[0].Line < 0 {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
