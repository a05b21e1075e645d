package dwarf

import "debug/dwarf"

// The types of units (DWARF 5, table 7.2).
const (
	unitCompile      = 1
	unitPartial      = 3
	unitSkeleton     = 4
	unitSplitCompile = 5
)

// unit is a unit of .debug_info that may have code. Its root is read on demand.
type unit struct {
	layout
	off, end  uint64 // in .debug_info, including the header
	die       uint64 // offset of its root
	abbrevOff uint64
	id        uint64 // of a skeleton and its split unit, since version 5
	root      *root
	scanned   bool
	spans     spans // of functions
	functions []function
}

// unitBytes is the cost of a unit, for the budget.
const unitBytes = 192

// root has what a unit's root says for all its entries.
type root struct {
	entry
	base           uint64 // that ranges are relative to
	addrBase       uint64
	strOffsetsBase uint64
	rngListsBase   uint64
	rangesBase     uint64 // that offsets of lists are relative to
	compDir        string
	lines          *lines // nil: none
}

// header reads a unit's header. If the unit is not usable, only its end is set; ok is
// false if even that is unknown.
func (u *unit) header(c *cursor) (useful, ok bool) {
	u.off = c.offset()
	length, offsetSize := c.initialLength()
	if offsetSize == 0 || length < 2 {
		return false, false
	}
	u.end = c.offset() + length
	u.offsetSize = uint8(offsetSize)
	u.version = c.u16()
	kind := uint8(unitCompile)
	switch {
	case u.version < 2 || u.version > 5:
		return false, true
	case u.version == 5:
		kind = c.u8()
		u.addrSize = c.u8()
		u.abbrevOff = c.uint(offsetSize)
	default:
		u.abbrevOff = c.uint(offsetSize)
		u.addrSize = c.u8()
	}
	switch kind {
	case unitCompile, unitPartial:
	case unitSkeleton, unitSplitCompile:
		u.id = c.uint(8)
	default:
		return false, true // a type unit
	}
	u.die = c.offset()
	return c.err == nil && u.die <= u.end && (u.addrSize == 4 || u.addrSize == 8), c.err == nil
}

// readRoot reads the root of a unit at c, except for its strings.
func (d *Data) readRoot(c *cursor, u *unit, r *root) (tag dwarf.Tag, ok bool) {
	a, ok := d.rootAbbrev(u, c.uleb())
	if !ok {
		return 0, false
	}
	r.read(c, u.layout, &a)
	if c.err != nil {
		return 0, false
	}
	r.strOffsetsBase, r.addrBase, r.rngListsBase = r.entry.strOffsetsBase.u, r.entry.addrBase.u, r.entry.rngListsBase.u
	if u.version == 5 && r.strOffsetsBase == 0 {
		r.strOffsetsBase = 8 // after the header
		if u.offsetSize == 8 {
			r.strOffsetsBase = 16
		}
	}
	r.base, _ = d.address(u, r, r.low)
	return a.tag, true
}

// load returns a unit's root, reading it on first use. It is empty if unreadable.
func (d *Data) load(u *unit) *root {
	if u.root != nil {
		return u.root
	}
	u.root = new(root)
	c := d.cursor(secInfo, u.die, u.end, nearWindow)
	if _, ok := d.readRoot(c, u, u.root); !ok || !d.keep(rootBytes) {
		u.root = new(root)
		return u.root
	}
	u.root.compDir = d.string(u, secInfo, u.root.entry.compDir)
	if u.root.entry.lines.present() {
		u.root.lines = d.readLines(u, u.root.entry.lines.u)
	}
	return u.root
}

// rootBytes is the cost of a root, for the budget.
const rootBytes = 512

// address returns the address in a value, which is the address itself or its index in
// .debug_addr.
func (d *Data) address(u *unit, r *root, v value) (uint64, bool) {
	switch {
	case v.form == formAddr:
		return v.u, true
	case !v.isAddress():
		return 0, false
	}
	return d.indexed(u, r, v.u)
}

// indexed returns an address in .debug_addr.
func (d *Data) indexed(u *unit, r *root, i uint64) (uint64, bool) {
	if i > maxIndex {
		return 0, false
	}
	c := d.linked.cursor(secAddr, r.addrBase+i*uint64(u.addrSize), sectionEnd, nearWindow/8)
	a := c.uint(int(u.addrSize))
	return a, c.err == nil
}

// maxIndex is the maximum index into a table, so that its offset does not overflow.
const maxIndex = 1 << 40
