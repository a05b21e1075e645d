package dwarf

// The kinds of entries in a range list (DWARF 5, table 7.30).
const (
	rleEnd          = 0
	rleBaseAddressx = 1
	rleStartxEndx   = 2
	rleStartxLength = 3
	rleOffsetPair   = 4
	rleBaseAddress  = 5
	rleStartEnd     = 6
	rleStartLength  = 7
)

// ranges reads the ranges of a unit's entries. Adjacent lists share a window.
type ranges struct {
	d *Data
	u *unit
	c *cursor // for .debug_ranges or .debug_rnglists; nil: not opened yet
}

// ranges returns the reader of a unit's ranges. The unit's root must have been read.
func (d *Data) ranges(u *unit) *ranges { return &ranges{d: d, u: u} }

// each yields the ranges of an entry, until yield returns false.
func (r *ranges) each(e *entry, yield func(low, high uint64) bool) {
	if e.ranges.present() {
		r.list(e.ranges, yield)
		return
	}
	low, ok := r.d.address(r.u, r.u.root, e.low)
	if !ok || !e.high.present() {
		return
	}
	high := low + e.high.u
	if e.high.isAddress() {
		high, ok = r.d.address(r.u, r.u.root, e.high)
	}
	if ok && low < high {
		yield(low, high)
	}
}

// list yields the ranges in a list.
func (r *ranges) list(v value, yield func(low, high uint64) bool) {
	off := v.u
	if v.form == formRngListx {
		var ok bool
		if off, ok = r.listOffset(v.u); !ok {
			return
		}
	} else {
		off += r.u.root.rangesBase
	}
	if r.c == nil {
		if r.u.version < 5 {
			r.c = r.d.linked.cursor(secRanges, off, sectionEnd, nearWindow)
		} else {
			r.c = r.d.cursor(secRngLists, off, sectionEnd, nearWindow)
		}
	} else if r.c.seek(off); r.c.err != nil {
		r.c = nil
		return
	}
	if r.u.version < 5 {
		r.pairs(yield)
	} else {
		r.entries(yield)
	}
	if r.c.err != nil {
		r.c = nil // the next list may be valid
	}
}

// listOffset returns the offset of the list with an index.
func (r *ranges) listOffset(i uint64) (uint64, bool) {
	base, size := r.u.root.rngListsBase, uint64(r.u.offsetSize)
	if i > maxIndex {
		return 0, false
	}
	c := r.d.cursor(secRngLists, base+i*size, sectionEnd, nearWindow/8)
	off := c.uint(int(size))
	return base + off, c.err == nil
}

// pairs reads a list of .debug_ranges.
func (r *ranges) pairs(yield func(low, high uint64) bool) {
	size := int(r.u.addrSize)
	base, largest := r.u.root.base, ^uint64(0)>>(64-8*size)
	for {
		low := r.c.uint(size)
		high := r.c.uint(size)
		switch {
		case r.c.err != nil || low == 0 && high == 0:
			return
		case low == largest:
			base = high
		case low < high && !yield(base+low, base+high):
			return
		}
	}
}

// entries reads a list of .debug_rnglists.
func (r *ranges) entries(yield func(low, high uint64) bool) {
	base := r.u.root.base
	for {
		var low, high uint64
		ok := true
		switch kind := r.c.u8(); kind {
		case rleBaseAddressx:
			base, ok = r.indexed()
		case rleBaseAddress:
			base = r.c.uint(int(r.u.addrSize))
		case rleStartxEndx:
			low, ok = r.indexed()
			if ok {
				high, ok = r.indexed()
			}
		case rleStartxLength:
			low, ok = r.indexed()
			high = low + r.c.uleb()
		case rleOffsetPair:
			low = base + r.c.uleb()
			high = base + r.c.uleb()
		case rleStartEnd:
			low = r.c.uint(int(r.u.addrSize))
			high = r.c.uint(int(r.u.addrSize))
		case rleStartLength:
			low = r.c.uint(int(r.u.addrSize))
			high = low + r.c.uleb()
		default: // rleEnd, or an unknown kind
			return
		}
		if r.c.err != nil || !ok || low < high && !yield(low, high) {
			return
		}
	}
}

func (r *ranges) indexed() (uint64, bool) { return r.d.indexed(r.u, r.u.root, r.c.uleb()) }
