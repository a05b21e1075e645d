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

// abbrev describes the entries of .debug_info that have its code.
type abbrev struct {
	code     uint64
	tag      dwarf.Tag
	children bool
	attrs    []attribute
	size     int // bytes of an entry after its code, -1 if they vary
}

type attribute struct {
	attr     dwarf.Attr
	form     uint16
	implicit int64 // the value of DW_FORM_implicit_const
}

// abbrevs is a table of abbreviations. Compilers number them from 1.
type abbrevs struct {
	list  []abbrev
	other map[uint64]int // index in list of other codes
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

// abbrevsKey is what the sizes of a table's entries depend on.
type abbrevsKey struct {
	off    uint64
	layout layout
}

// abbrevs returns the table of a unit, up to the first error in it.
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
	c := d.cursor(secAbbrev, u.abbrevOff, sectionEnd, farWindow/16)
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

// Costs in bytes, for the budget.
const (
	tableBytes     = 128
	abbrevBytes    = 120
	attributeBytes = 24
	sectionEnd     = ^uint64(0) // end of a cursor that reads to the end of its section
)

func (t *abbrevs) number(code uint64) {
	if t.other == nil {
		t.other = map[uint64]int{}
	}
	if _, ok := t.other[code]; !ok {
		t.other[code] = len(t.list) - 1
	}
}

// rootAbbrev returns the abbreviation of a unit's root, without reading the whole
// table.
func (d *Data) rootAbbrev(u *unit, code uint64) (abbrev, bool) {
	if t, ok := d.tables[abbrevsKey{u.abbrevOff, u.layout}]; ok {
		if a := t.find(code); a != nil {
			return *a, true
		}
		return abbrev{}, false
	}
	c := d.cursor(secAbbrev, u.abbrevOff, sectionEnd, nearWindow/2)
	for range maxAbbrevs {
		if a, ok := u.abbrev(c); !ok || a.code == code {
			return a, ok
		}
	}
	return abbrev{}, false
}

// abbrev reads an entry of a table. It reports false at the end.
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
