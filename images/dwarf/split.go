package dwarf

// splitUnit is the unit with the entries of a skeleton, and its file.
type splitUnit struct {
	d *Data
	u *unit // nil: not found
}

// full returns the unit with the functions of u, and its file: for a skeleton its
// split unit if that is found, else u.
func (d *Data) full(u *unit) (*Data, *unit) {
	r := d.load(u)
	if !r.dwoName.present() {
		return d, u
	}
	s, ok := d.splits[u.off]
	if !ok {
		if s = d.findSplit(u, r); d.keep(splitBytes) {
			d.splits[u.off] = s
		}
	}
	if s.u == nil {
		return d, u
	}
	return s.d, s.u
}

// splitBytes is the cost of a skeleton, for the budget.
const splitBytes = 64

// findSplit looks for the split unit of a skeleton, by its id: in the package, then
// in the file that the skeleton names.
func (d *Data) findSplit(u *unit, r *root) splitUnit {
	id := r.id(u)
	if p := d.splitPackage(); p != nil {
		if s, of, ok := p.packaged(id); ok && p.loadSplit(s, r, of) {
			return splitUnit{p, s}
		}
	}
	name := d.string(u, secInfo, r.dwoName)
	if name == "" || d.Related.Split == nil {
		return splitUnit{}
	}
	path := under(r.compDir, name)
	if f, ok := d.files[path]; ok { // the file has several units
		return f.splitUnit(id, r)
	}
	for sections := range d.Related.Split(r.compDir, name) {
		f := d.newSplit(sections)
		if s := f.splitUnit(id, r); s.u != nil { // otherwise it is of another build
			d.files[path] = f
			return s
		}
	}
	return splitUnit{}
}

// splitUnit returns the split unit with an id, of the skeleton with root r.
func (d *Data) splitUnit(id uint64, r *root) splitUnit {
	if d == nil {
		return splitUnit{}
	}
	if u := d.unitByID(id); u != nil && d.loadSplit(u, r, contributions{}) {
		return splitUnit{d, u}
	}
	return splitUnit{}
}

// splitPackage returns the package of split units, nil if there is none.
func (d *Data) splitPackage() *Data {
	const name = "" // its key in d.files
	p, ok := d.files[name]
	if !ok && d.Related.Package != nil {
		if sections := d.Related.Package(); sections != nil {
			p = d.newSplit(sections)
		}
		d.files[name] = p
	}
	return p
}

// newSplit returns a file of split units whose skeletons are in d.
func (d *Data) newSplit(sections Sections) *Data {
	if !d.keep(dataBytes) {
		return nil
	}
	f := New(sections, d.budget)
	f.suffix, f.linked = ".dwo", d
	return f
}

// dataBytes is the cost of another file, for the budget.
const dataBytes = 2048

// id returns the id that a skeleton and its split unit share.
func (r *root) id(u *unit) uint64 {
	if u.version < 5 {
		return r.dwoID.u
	}
	return u.id
}

// unitByID returns the split unit with an id.
func (d *Data) unitByID(id uint64) *unit {
	d.listUnits()
	for _, u := range d.units {
		if u.version >= 5 {
			if u.id == id {
				return u
			}
			continue
		}
		var r root
		c := d.cursor(secInfo, u.die, u.end, nearWindow)
		if _, ok := d.readRoot(c, u, &r); ok && r.dwoID.present() && r.dwoID.u == id {
			return u
		}
	}
	return nil
}

// contributions has the offsets of a unit's parts in a package's sections.
type contributions struct{ info, abbrev, strOffsets, rngLists uint64 }

// loadSplit reads the root of a split unit. The addresses and, before version 5, the
// ranges of its entries are in the file of the skeleton, which has their offsets.
func (d *Data) loadSplit(u *unit, skeleton *root, of contributions) bool {
	if u.root != nil {
		return true
	}
	var r root
	c := d.cursor(secInfo, u.die, u.end, nearWindow)
	if _, ok := d.readRoot(c, u, &r); !ok || !d.keep(rootBytes) {
		return false
	}
	r.base, r.addrBase = skeleton.base, skeleton.addrBase
	r.strOffsetsBase += of.strOffsets
	if u.version < 5 {
		r.rangesBase = skeleton.entry.rangesBase.u
	} else {
		r.rangesBase = of.rngLists
		r.rngListsBase = of.rngLists + 3*uint64(u.offsetSize) // after the header
		if u.offsetSize == 8 {
			r.rngListsBase -= 4
		}
	}
	u.root = &r
	return true
}
