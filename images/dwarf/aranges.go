package dwarf

import (
	"cmp"
	"slices"
	"sort"
)

// readARanges reads .debug_aranges, and returns the offsets of the units that it
// covers. The spans that it adds have, for the moment, the number of a set, below
// zero: assignARanges turns it into that of the unit.
func (d *Data) readARanges() map[uint64]bool {
	covered := map[uint64]bool{}
	c := d.cursor(secARanges, 0, whole, farWindow)
	for c.more() {
		start := c.offset()
		length, offsetSize := c.initialLength()
		if offsetSize == 0 {
			break
		}
		end := c.offset() + length
		if !d.readARangeSet(c, start, end, offsetSize, covered) {
			break
		}
		if c.seek(end); c.err != nil {
			break
		}
	}
	return covered
}

// readARangeSet reads the ranges of one unit. A set that has none tells nothing.
func (d *Data) readARangeSet(c *cursor, start, end uint64, offsetSize int, covered map[uint64]bool) bool {
	version := c.u16()
	unit := c.uint(offsetSize)
	size, segment := c.u8(), c.u8()
	if version != 2 || segment != 0 || size != 4 && size != 8 {
		return c.err == nil // of a kind that nobody writes
	}
	pair := 2 * uint64(size)
	c.skip((pair - (c.offset()-start)%pair) % pair)
	number := -1 - int32(len(d.sets))
	if !d.keep(spanBytes) {
		return false
	}
	d.sets = append(d.sets, unit)
	for c.err == nil && c.offset()+pair <= end {
		low := c.uint(int(size))
		n := c.uint(int(size))
		if low == 0 && n == 0 {
			break
		}
		if c.err == nil && low+n > low {
			if !d.addSpan(&d.spans, span{low, low + n, number}) {
				return false
			}
			covered[unit] = true
		}
	}
	return c.err == nil
}

// assignARanges gives the spans of .debug_aranges the numbers of their units.
func (d *Data) assignARanges() {
	kept := d.spans.list[:0]
	for _, s := range d.spans.list {
		if s.of < 0 {
			n, found := slices.BinarySearchFunc(d.units, d.sets[-1-s.of], func(u unit, off uint64) int { return cmp.Compare(u.off, off) })
			if !found {
				continue
			}
			s.of = int32(n)
		}
		kept = append(kept, s)
	}
	d.spans.list, d.sets = kept, nil
}

// unitOf returns the unit in which an offset of .debug_info is.
func (d *Data) unitOf(off uint64) *unit {
	i := sort.Search(len(d.units), func(i int) bool { return d.units[i].off > off }) - 1
	if i < 0 || off < d.units[i].die || off >= d.units[i].end {
		return nil
	}
	return &d.units[i]
}
