package dwarf

import "debug/dwarf"

// entry has the attributes that are read of an entry in .debug_info.
type entry struct {
	name, linkage     value
	low, high, ranges value
	origin, spec      value // entries with the remaining attributes
	callFile          uint64
	callLine          uint64
	callColumn        uint64

	// In a unit's root.
	compDir, lines                         value
	addrBase, strOffsetsBase, rngListsBase value
	rangesBase                             value // before version 5, for the split unit
	dwoName, dwoID                         value
}

// Attributes that compilers used before they were standardized (DWARF 4 and 5).
const (
	attrMIPSLinkageName dwarf.Attr = 0x2007
	attrGNUDwoName      dwarf.Attr = 0x2130
	attrGNUDwoID        dwarf.Attr = 0x2131
	attrGNURangesBase   dwarf.Attr = 0x2132
	attrGNUAddrBase     dwarf.Attr = 0x2133
)

// read reads an entry after its code.
func (e *entry) read(c *cursor, l layout, a *abbrev) {
	*e = entry{}
	c.charge(len(a.attrs))
	for i := range a.attrs {
		at := &a.attrs[i]
		if !e.set(at.attr, value{}) {
			l.skip(c, at.form)
			continue
		}
		e.set(at.attr, l.read(c, at.form, at.implicit))
	}
}

// skipEntry skips an entry after its code.
func (l layout) skipEntry(c *cursor, a *abbrev) {
	if a.size >= 0 {
		c.skip(uint64(a.size))
		return
	}
	c.charge(len(a.attrs))
	for i := range a.attrs {
		l.skip(c, a.attrs[i].form)
	}
}

// set sets an attribute. It reports false if the attribute is not used.
func (e *entry) set(attr dwarf.Attr, v value) bool {
	switch attr {
	case dwarf.AttrName:
		e.name = v
	case dwarf.AttrLinkageName, attrMIPSLinkageName:
		e.linkage = v
	case dwarf.AttrLowpc:
		e.low = v
	case dwarf.AttrHighpc:
		e.high = v
	case dwarf.AttrRanges:
		e.ranges = v
	case dwarf.AttrAbstractOrigin:
		e.origin = v
	case dwarf.AttrSpecification:
		e.spec = v
	case dwarf.AttrCallFile:
		e.callFile = v.u
	case dwarf.AttrCallLine:
		e.callLine = v.u
	case dwarf.AttrCallColumn:
		e.callColumn = v.u
	default:
		return e.setRoot(attr, v)
	}
	return true
}

func (e *entry) setRoot(attr dwarf.Attr, v value) bool {
	switch attr {
	case dwarf.AttrCompDir:
		e.compDir = v
	case dwarf.AttrStmtList:
		e.lines = v
	case dwarf.AttrAddrBase, attrGNUAddrBase:
		e.addrBase = v
	case dwarf.AttrStrOffsetsBase:
		e.strOffsetsBase = v
	case dwarf.AttrRnglistsBase:
		e.rngListsBase = v
	case attrGNURangesBase:
		e.rangesBase = v
	case dwarf.AttrDwoName, attrGNUDwoName:
		e.dwoName = v
	case attrGNUDwoID:
		e.dwoID = v
	default:
		return false
	}
	return true
}
