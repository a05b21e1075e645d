package dwarf

// readARanges reads .debug_aranges.
func (d *Data) readARanges() {
	c := d.cursor(secARanges, 0, sectionEnd, farWindow)
	for c.more() {
		start := c.offset()
		length, offsetSize := c.initialLength()
		if offsetSize == 0 {
			break
		}
		end := c.offset() + length
		if !d.readARangeSet(c, start, end, offsetSize) {
			break
		}
		if c.seek(end); c.err != nil {
			break
		}
	}
}

// readARangeSet reads the ranges of one unit. It ignores an empty set.
func (d *Data) readARangeSet(c *cursor, start, end uint64, offsetSize int) bool {
	version := c.u16()
	unit := c.uint(offsetSize)
	size, segment := c.u8(), c.u8()
	if version != 2 || segment != 0 || size != 4 && size != 8 {
		return c.err == nil // addresses with segments, or of another size: no compiler writes them
	}
	pair := 2 * uint64(size)
	c.skip((pair - (c.offset()-start)%pair) % pair)
	number, ok := d.addOwner(unit)
	if !ok {
		return false
	}
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
		}
	}
	return c.err == nil
}

// addOwner adds a unit that has spans, by its offset, and returns its index.
func (d *Data) addOwner(off uint64) (int32, bool) {
	if !d.keep(spanBytes) {
		return 0, false
	}
	d.owners = append(d.owners, off)
	return int32(len(d.owners) - 1), true
}
