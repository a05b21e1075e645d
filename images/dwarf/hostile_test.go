package dwarf

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"stacksnap/images/object"
)

// raw puts a section together.
type raw []byte

func (r raw) u16(v uint16) raw { return binary.LittleEndian.AppendUint16(r, v) }
func (r raw) u32(v uint32) raw { return binary.LittleEndian.AppendUint32(r, v) }
func (r raw) u64(v uint64) raw { return binary.LittleEndian.AppendUint64(r, v) }
func (r raw) uleb(v ...uint64) raw {
	for _, x := range v {
		r = binary.AppendUvarint(r, x)
	}
	return r
}

// The entries that made gives its units, by code.
const (
	aRoot     = 1 // low_pc, high_pc, stmt_list
	aFunction = 2 // low_pc, high_pc, abstract_origin; has children
	aCall     = 3 // low_pc, high_pc, abstract_origin, call_line; has children
	aNamed    = 4 // name, abstract_origin
	aWide     = 5 // as many attributes without bytes as there may be
)

func madeAbbrevs() raw {
	const addr, data4, ref4, sec, str = formAddr, formData4, formRef4, formSecOffset, formStrp
	r := raw{}.uleb(aRoot, 0x11, 1, 0x11, addr, 0x12, data4, 0x10, sec, 0, 0)
	r = r.uleb(aFunction, 0x2e, 1, 0x11, addr, 0x12, data4, 0x31, ref4, 0, 0)
	r = r.uleb(aCall, 0x1d, 1, 0x11, addr, 0x12, data4, 0x31, ref4, 0x59, data4, 0, 0)
	r = r.uleb(aNamed, 0x2e, 0, 0x03, str, 0x31, ref4, 0, 0)
	r = r.uleb(aWide, 0x2e, 0)
	for range maxAttributes - 1 {
		r = r.uleb(0x03, formFlagPresent)
	}
	return r.uleb(0, 0, 0)
}

// made returns a unit of version 4 whose root has the addresses from 0x1000 to 0x2000.
func made(entries raw) raw {
	r := raw{}.u16(4).u32(0)
	r = append(r, 8)
	r = r.uleb(aRoot).u64(0x1000).u32(0x1000).u32(0)
	r = append(r, entries...)
	return append(raw{}.u32(uint32(len(r))), r...)
}

const madeEntries = 11 + 17 // where the first entry of a unit stands

// lineProgram returns a table of version 2 with one file.
func lineProgram(program raw) raw {
	head := raw{1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 'a', '.', 'c', 0, 0, 0, 0, 0}
	r := append(raw{}.u16(2).u32(uint32(len(head))), head...)
	r = append(r, program...)
	return append(raw{}.u32(uint32(len(r))), r...)
}

// sequenceFrom begins a sequence at an address.
func sequenceFrom(a uint64) raw { return append(raw{0, 9, lneSetAddress}, raw{}.u64(a)...) }

func madeData(info, line, str raw, b *object.Budget) *Data {
	return New(func(name string) Section {
		section, ok := map[string]raw{"info": info, "abbrev": madeAbbrevs(), "line": line, "str": str}[name]
		if !ok {
			return nil
		}
		return Bytes(section)
	}, b)
}

func functionAt(low uint64, size, origin uint32) raw {
	return raw{}.uleb(aFunction).u64(low).u32(size).u32(origin)
}

func inlinedAt(low uint64, size, origin, line uint32) raw {
	return raw{}.uleb(aCall).u64(low).u32(size).u32(origin).u32(line)
}

// TestOriginLoop leads from entry to entry in a circle.
func TestOriginLoop(t *testing.T) {
	entries := append(functionAt(0x1000, 0x10, madeEntries), inlinedAt(0x1000, 8, madeEntries+17, 7)...)
	frames := madeData(made(append(entries, 0, 0, 0)), nil, nil, nil).Frames(0x1004)
	if len(frames) != 2 || frames[0].Function != "" || frames[1].Line != 7 {
		t.Errorf("%+v", frames)
	}
}

// TestStringOutOfRange has a name that is nowhere, and one that never ends.
func TestStringOutOfRange(t *testing.T) {
	named := uint32(madeEntries + 17 + 1)
	for _, at := range []uint32{1 << 31, 0} {
		entries := append(functionAt(0x1000, 0x10, named), 0)
		entries = append(entries, raw{}.uleb(aNamed).u32(at).u32(0)...)
		str := raw(strings.Repeat("x", 1<<20))
		frames := madeData(made(append(entries, 0)), nil, str, nil).Frames(0x1004)
		if len(frames) != 1 || frames[0].Function != "" {
			t.Errorf("at %d: %.100v", at, frames)
		}
	}
}

// TestDeep nests inlined calls 10,000 deep: the outermost are told, with the lines
// where they call.
func TestDeep(t *testing.T) {
	const depth = 10_000
	entries := functionAt(0x1000, 0x10, 0)
	for i := range uint32(depth) {
		entries = append(entries, inlinedAt(0x1000, 0x10, 0, i+1)...)
	}
	entries = append(entries, make(raw, depth+2)...)
	frames := madeData(made(entries), nil, nil, nil).Frames(0x1004)
	if len(frames) != maxNested+1 || frames[0].Line != maxNested+1 || frames[maxNested].Line != 1 {
		t.Errorf("%d frames", len(frames))
	}
}

// TestManyAtOnePlace has as many functions at one address as the budget takes.
func TestManyAtOnePlace(t *testing.T) {
	var entries raw
	for range 200_000 {
		entries = append(append(entries, functionAt(0x1000, 0x10, 0)...), 0)
	}
	b := object.NewBudget(8<<20, 64<<20)
	d := madeData(made(append(entries, 0)), nil, nil, b)
	if d.Frames(0x1004) == nil || !b.Reached() {
		t.Error("no function, or all of them")
	}
}

// TestWithoutBytes has entries of a byte each with hundreds of attributes.
func TestWithoutBytes(t *testing.T) {
	entries := raw(strings.Repeat(string(rune(aWide)), 4<<20))
	b := object.NewBudget(64<<20, 8<<20)
	d := madeData(made(entries), nil, nil, b)
	if d.Frames(0x1004) != nil || !b.Reached() {
		t.Error("all of them were read")
	}
}

// TestLineProgramForEver runs programs of many rows, of none, and of addresses that
// go back.
func TestLineProgramForEver(t *testing.T) {
	rows := sequenceFrom(0x1000)
	for range 1 << 20 {
		rows = append(rows, 10+5+14*0) // line + 0, address + 0
	}
	rows = append(rows, 10+14*4+5+1, 0, 1, lneEndSequence) // line + 1, address + 4
	back := append(sequenceFrom(0x1000), 10+6, 10+14*8+6)
	back = append(append(back, sequenceFrom(0x900)...), 10+5, 0, 1, lneEndSequence)
	nothing := append(sequenceFrom(0x1000), strings.Repeat("\x06", 4<<20)...)
	for name, c := range map[string]struct {
		program raw
		budget  int64
		line    int
	}{
		"rows": {rows, 1 << 30, 1}, "back": {back, 1 << 20, 2}, "nothing": {nothing, 1 << 20, 0},
	} {
		b := object.NewBudget(1<<20, c.budget)
		d := madeData(made(append(functionAt(0x1000, 0x10, 0), 0, 0)), lineProgram(c.program), nil, b)
		if f := d.Frames(0x1002); len(f) != 1 || f[0].Line != c.line {
			t.Errorf("%s: %+v, want line %d", name, f, c.line)
		}
	}
}

// vast claims to have 2^40 bytes, of which there are few.
type vast struct{ Bytes }

func (v vast) Size() int64 { return 1 << 40 }

// TestVast reads sections and a unit that claim 2^40 bytes.
func TestVast(t *testing.T) {
	unit := append(raw{}.u32(0xffffffff).u64(1<<39).u16(4).u64(0), 8)
	b := object.NewBudget(1<<20, 1<<20)
	d := New(func(name string) Section {
		switch name {
		case "info":
			return vast{Bytes(append(unit, aRoot))}
		case "abbrev":
			return vast{Bytes(madeAbbrevs())}
		}
		return vast{}
	}, b)
	if got := d.Frames(0x1000); got != nil {
		t.Errorf("%+v", got)
	}
	if _, err := (vast{}).ReadAt(make([]byte, 1), 1<<39); err != io.EOF {
		t.Error(err)
	}
}

// TestManyUnits has units of a header each, which all lead to one table.
func TestManyUnits(t *testing.T) {
	one := append(raw{}.u32(8).u16(4).u32(0), 8, aNamed)
	b := object.NewBudget(4<<20, 4<<20)
	d := madeData(raw(strings.Repeat(string(one), 200_000)), nil, nil, b)
	if d.Frames(0x1000) != nil || !b.Reached() {
		t.Error("all units were kept")
	}
}
