package dwarf

import (
	"debug/dwarf"
	"errors"
)

var errForm = errors.New("a value of an unknown form")

const (
	maxAttributes = 512     // of one entry; compilers write some twenty
	maxAbbrevs    = 1 << 17 // of one table
)

// abbrev says what an entry of .debug_info with its code has.
type abbrev struct {
	code     uint64
	tag      dwarf.Tag
	children bool
	attrs    []attribute
	size     int // bytes of the entry behind its code, -1 where they differ
}

type attribute struct {
	attr     dwarf.Attr
	form     uint16
	implicit int64 // the value of DW_FORM_implicit_const
}

// abbrevs is a table of them. Compilers number them from 1 on.
type abbrevs struct {
	list  []abbrev
	other map[uint64]int // where codes are not numbered so: the place in list
}

func (t *abbrevs) find(code uint64) *abbrev {
	if i := code - 1; i < uint64(len(t.list)) && t.list[i].code == code {
		return &t.list[i]
	}
	if i, ok := t.other[code]; ok {
		return &t.list[i]
	}
	return nil
}

// abbrevsKey is what the sizes of a table's entries depend on, beside the table.
type abbrevsKey struct {
	off    uint64
	layout layout
}

// abbrevs returns the table of a unit. Where it is broken there is what stands
// before that.
func (d *Data) abbrevs(u *unit) *abbrevs {
	key := abbrevsKey{u.abbrevOff, u.layout}
	if t, ok := d.tables[key]; ok {
		return t
	}
	t := new(abbrevs)
	d.tables[key] = t
	if !d.keep(tableBytes) {
		return t
	}
	c := d.cursor(secAbbrev, u.abbrevOff, whole, farWindow/16)
	for len(t.list) < maxAbbrevs {
		a, ok := u.abbrev(c)
		if !ok || !d.keep(uint64(abbrevBytes+attributeBytes*len(a.attrs))) {
			break
		}
		t.list = append(t.list, a)
		if a.code != uint64(len(t.list)) {
			t.number(a.code)
		}
	}
	return t
}

// The bytes that are kept of each, as far as they go into the budget.
const (
	tableBytes     = 128
	abbrevBytes    = 120
	attributeBytes = 24
	whole          = ^uint64(0) // the end of a section
)

func (t *abbrevs) number(code uint64) {
	if t.other == nil {
		t.other = map[uint64]int{}
	}
	if _, ok := t.other[code]; !ok {
		t.other[code] = len(t.list) - 1
	}
}

// rootAbbrev returns what the unit's root has, without the whole table.
func (d *Data) rootAbbrev(u *unit, code uint64) (abbrev, bool) {
	if t, ok := d.tables[abbrevsKey{u.abbrevOff, u.layout}]; ok {
		if a := t.find(code); a != nil {
			return *a, true
		}
		return abbrev{}, false
	}
	c := d.cursor(secAbbrev, u.abbrevOff, whole, nearWindow/2)
	for range maxAbbrevs {
		if a, ok := u.abbrev(c); !ok || a.code == code {
			return a, ok
		}
	}
	return abbrev{}, false
}

// abbrev reads one entry of a table; false at its end.
func (l layout) abbrev(c *cursor) (abbrev, bool) {
	a := abbrev{code: c.uleb()}
	if a.code == 0 || c.err != nil {
		return a, false
	}
	a.tag = dwarf.Tag(c.uleb())
	a.children = c.u8() != 0
	for {
		at := attribute{attr: dwarf.Attr(c.uleb()), form: uint16(min(c.uleb(), 0xffff))}
		if at.form == formImplicitConst {
			at.implicit = c.sleb()
		}
		if c.err != nil || len(a.attrs) >= maxAttributes {
			return a, false
		}
		if at.attr == 0 && at.form == 0 {
			return a, true
		}
		a.attrs = append(a.attrs, at)
		if n, fixed := l.fixedSize(at.form); fixed && a.size >= 0 {
			a.size += n
		} else {
			a.size = -1
		}
	}
}
