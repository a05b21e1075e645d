package dwarf

import (
	"cmp"
	"debug/dwarf"
	"math"
	"slices"
	"sort"
)

// unitAt returns the unit at an offset of .debug_info, nil if there is none, and
// whether it is new. It does not list all units.
func (d *Data) unitAt(off uint64) (u *unit, fresh bool) {
	i, found := slices.BinarySearchFunc(d.units, off, byOffset)
	if found {
		return d.units[i], false
	}
	if d.listed || !d.keep(unitBytes) {
		return nil, false
	}
	u = new(unit)
	if useful, _ := u.header(d.cursor(secInfo, off, sectionEnd, nearWindow/8)); !useful {
		return nil, false
	}
	d.units = slices.Insert(d.units, i, u)
	return u, true
}

func byOffset(u *unit, off uint64) int { return cmp.Compare(u.off, off) }

// unitOf returns the unit that contains an offset of .debug_info.
func (d *Data) unitOf(off uint64) *unit {
	if u := d.knownUnitOf(off); u != nil || d.listed {
		return u
	}
	d.listUnitsTo(off)
	return d.knownUnitOf(off)
}

func (d *Data) knownUnitOf(off uint64) *unit {
	i := sort.Search(len(d.units), func(i int) bool { return d.units[i].off > off }) - 1
	if i < 0 || off < d.units[i].die || off >= d.units[i].end {
		return nil
	}
	return d.units[i]
}

// listUnits lists all units.
func (d *Data) listUnits() { d.listUnitsTo(math.MaxUint64) }

// listUnitsTo lists the units up to the one that contains an offset, so that no more
// of a section has to be decompressed. Units after an invalid header are left out,
// and so are those of a package, where each has its own parts of the other sections.
func (d *Data) listUnitsTo(off uint64) {
	if d.listed || d.suffix != "" && d.readIndex().slots > 0 {
		return
	}
	c := d.cursor(secInfo, d.listedTo, sectionEnd, nearWindow/8)
	for d.listedTo <= off {
		u := new(unit)
		if !c.more() || !d.keep(unitBytes) {
			break
		}
		useful, ok := u.header(c)
		if !ok {
			break
		}
		d.list(u, useful)
		if c.seek(u.end); c.err != nil {
			break
		}
	}
	if d.listedTo <= off {
		d.listed = true
		d.units = d.units[:d.unitsBefore(d.listedTo)]
	}
}

// list adds the next unit, and removes units added out of order that start within it.
func (d *Data) list(u *unit, useful bool) {
	from, to := d.unitsBefore(u.off), d.unitsBefore(u.end)
	if useful && from < to && d.units[from].off == u.off {
		u = d.units[from]
	}
	d.units = slices.Delete(d.units, from, to)
	if useful {
		d.units = slices.Insert(d.units, from, u)
	}
	d.listedTo = u.end
}

// unitsBefore returns how many units start before an offset.
func (d *Data) unitsBefore(off uint64) int {
	return sort.Search(len(d.units), func(i int) bool { return d.units[i].off >= off })
}

// rangeMore reads the ranges of further units. The first call reads the roots of
// units missing from .debug_aranges; the next one reads the functions of units whose
// roots have no ranges. It returns false when nothing is left to read.
func (d *Data) rangeMore() bool {
	switch {
	case !d.rooted:
		d.rooted = true
		d.rangeRoots()
	case len(d.unranged) > 0:
		d.rangeFunctions()
	default:
		return false
	}
	d.spans.sort()
	return true
}

func (d *Data) rangeRoots() {
	d.listUnits()
	covered := make(map[uint64]bool, len(d.owners))
	for _, off := range d.owners {
		covered[off] = true
	}
	for _, u := range d.units {
		if !covered[u.off] {
			d.addRoot(u)
		}
	}
}

// addRoot adds the ranges in a unit's root.
func (d *Data) addRoot(u *unit) {
	var r root
	tag, ok := d.readRoot(d.cursor(secInfo, u.die, u.end, nearWindow), u, &r)
	if !ok || tag == dwarf.TagPartialUnit {
		return
	}
	if !r.ranges.present() && !(r.low.present() && r.high.present()) {
		d.unranged = append(d.unranged, u)
		return
	}
	number, ok := d.addOwner(u.off)
	if !ok {
		return
	}
	before := u.root
	u.root = &r // for the indexes in its ranges
	d.ranges(u).each(&r.entry, func(low, high uint64) bool { return d.addSpan(&d.spans, span{low, high, number}) })
	u.root = before
}

// rangeFunctions adds the ranges of the functions in units whose roots have none.
func (d *Data) rangeFunctions() {
	for _, u := range d.unranged {
		in, full := d.full(u)
		in.scan(full)
		number, ok := d.addOwner(u.off)
		for _, s := range full.spans.list {
			ok = ok && d.addSpan(&d.spans, span{s.low, s.high, number})
		}
	}
	d.unranged = nil
}
