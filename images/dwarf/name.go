package dwarf

// maxOrigins is how many entries are followed for one function: an inlined call
// refers to the abstract function, that to its declaration, and there may be one
// more.
const maxOrigins = 16

// nameBytes is the cost of a name beside its text, for the budget.
const nameBytes = 64

// name returns the name of the function of an entry in .debug_info: the linkage name,
// or else the source's; "" if there is none. The references may form a cycle.
func (d *Data) name(off uint64) string {
	if name, ok := d.names[off]; ok {
		return name
	}
	var e entry
	at, plain, name := off, "", ""
	for in, n := d, 0; n < maxOrigins; n++ {
		u := in.unitOf(at)
		if u == nil || !in.entryAt(u, at, &e) {
			break
		}
		if name = in.string(u, secInfo, e.linkage); name != "" {
			break
		}
		if plain == "" {
			plain = in.string(u, secInfo, e.name)
		}
		if in, at = in.reference(u, e.origin, e.spec); in == nil {
			break
		}
	}
	if name == "" {
		name = plain
	}
	if d.keep(uint64(nameBytes + len(name))) {
		d.names[off] = name
	}
	return name
}

// entryAt reads one entry.
func (d *Data) entryAt(u *unit, off uint64, e *entry) bool {
	d.load(u)
	c := d.cursor(secInfo, off, u.end, nearWindow/4)
	a := d.abbrevs(u).find(c.uleb())
	if a == nil {
		return false
	}
	e.read(c, u.layout, a)
	return c.err == nil
}

// reference returns the entry that the first of the references refers to, and its
// file; nil if there is none.
func (d *Data) reference(u *unit, refs ...value) (in *Data, off uint64) {
	for _, v := range refs {
		switch v.form {
		case formRef1, formRef2, formRef4, formRef8, formRefUData:
			return d, u.off + v.u
		case formRefAddr:
			return d, v.u
		case formGNURefAlt, formRefSup4, formRefSup8:
			return d.supplement(), v.u
		}
	}
	return nil, 0
}

// string returns the string of a value in the given section; "" if there is none.
func (d *Data) string(u *unit, in int, v value) string {
	switch v.form {
	case formString:
		return d.stringAt(in, v.u)
	case formStrp:
		return d.stringAt(secStr, v.u)
	case formLineStrp:
		return d.stringAt(secLineStr, v.u)
	case formGNUStrpAlt, formStrpSup:
		if sup := d.supplement(); sup != nil {
			return sup.stringAt(secStr, v.u)
		}
	case formStrx, formStrx1, formStrx2, formStrx3, formStrx4, formGNUStrIndex:
		if u.root == nil || v.u > maxIndex {
			return ""
		}
		size := uint64(u.offsetSize)
		c := d.cursor(secStrOffsets, u.root.strOffsetsBase+v.u*size, sectionEnd, nearWindow/8)
		off := c.uint(int(size))
		if c.err != nil {
			return ""
		}
		return d.stringAt(secStr, off)
	}
	return ""
}

func (d *Data) stringAt(which int, off uint64) string {
	return d.cursor(which, off, sectionEnd, nearWindow/4).string()
}
