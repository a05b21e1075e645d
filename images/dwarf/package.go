package dwarf

// The columns of a package's index, by section, numbered as in version 5 (table 7.1)
// and GNU's version 2, which has none for range lists.
const (
	columnInfo       = 1
	columnAbbrev     = 3
	columnStrOffsets = 6
	columnRngLists   = 8
)

const (
	maxColumns = 8 // one for each kind of section
	maxProbes  = 1 << 16
)

// cuIndex is the index of the split units in a package (DWARF 5, section 7.3.5.3).
type cuIndex struct {
	read     bool
	version  uint64
	columns  uint64
	units    uint64
	slots    uint64 // a power of 2; 0: there is no index
	hashes   uint64 // offsets of the parts in the section
	rows     uint64
	sections uint64
}

// readIndex reads the header of the index.
func (d *Data) readIndex() *cuIndex {
	x := &d.packed
	if x.read {
		return x
	}
	x.read = true
	c := d.cursor(secCUIndex, 0, sectionEnd, nearWindow/8)
	if x.version = uint64(c.u16()); x.version == 2 || x.version == 5 {
		c.skip(2)
	}
	x.columns, x.units = uint64(c.u32()), uint64(c.u32())
	slots := uint64(c.u32())
	x.hashes = c.offset()
	x.rows = x.hashes + 8*slots
	x.sections = x.rows + 4*slots
	known := x.version == 2 || x.version == 5
	if known && c.err == nil && slots&(slots-1) == 0 && x.columns <= maxColumns && x.sections <= c.end {
		x.slots = slots
	}
	return x
}

// packaged returns the unit of a package with an id, and the offsets of its parts in
// the other sections.
func (d *Data) packaged(id uint64) (*unit, contributions, bool) {
	x := d.readIndex()
	row := d.row(x, id)
	if row == 0 || row > x.units {
		return nil, contributions{}, false
	}
	of, ok := d.contributions(x, row)
	if !ok {
		return nil, of, false
	}
	u, fresh := d.unitAt(of.info)
	if fresh {
		u.abbrevOff += of.abbrev
	}
	return u, of, u != nil
}

// row returns the row of an id, counted from 1; 0 if there is none.
func (d *Data) row(x *cuIndex, id uint64) uint64 {
	mask := x.slots - 1
	slot, step := id&mask, id>>32&mask|1
	for range min(x.slots, maxProbes) {
		row := uint64(d.cursor(secCUIndex, x.rows+4*slot, sectionEnd, 4).u32())
		if row == 0 {
			return 0
		}
		if d.cursor(secCUIndex, x.hashes+8*slot, sectionEnd, 8).uint(8) == id {
			return row
		}
		slot = (slot + step) & mask
	}
	return 0
}

// contributions reads a row of the table of offsets, and the header row that names
// the sections.
func (d *Data) contributions(x *cuIndex, row uint64) (of contributions, ok bool) {
	kinds := d.cursor(secCUIndex, x.sections, sectionEnd, 4*maxColumns)
	offsets := d.cursor(secCUIndex, x.sections+4*x.columns*row, sectionEnd, 4*maxColumns)
	for range x.columns {
		kind, off := kinds.u32(), uint64(offsets.u32())
		switch kind {
		case columnInfo:
			of.info, ok = off, true
		case columnAbbrev:
			of.abbrev = off
		case columnStrOffsets:
			of.strOffsets = off
		case columnRngLists:
			if x.version == 5 {
				of.rngLists = off
			}
		}
	}
	return of, ok && kinds.err == nil && offsets.err == nil
}
