package dwarf

import "debug/dwarf"

// function is a function with code.
type function struct {
	off  uint64 // offset of its entry in .debug_info
	read bool   // calls were read
	calls
}

// functionBytes is the cost of a function, for the budget.
const functionBytes = 80

// scan finds the functions of a unit. It reads all its entries, because a function
// may be within a namespace, a class or another function.
func (d *Data) scan(u *unit) {
	if u.scanned {
		return
	}
	u.scanned = true
	d.load(u)
	table := d.abbrevs(u)
	c := d.cursor(secInfo, u.die, u.end, farWindow)
	ranges := d.ranges(u)
	var e entry
	for c.more() {
		off := c.offset()
		code := c.uleb()
		if code == 0 {
			continue // the end of a level
		}
		a := table.find(code)
		switch {
		case a == nil:
			c.fail(errForm)
		case a.tag != dwarf.TagSubprogram:
			u.skipEntry(c, a)
		default:
			if e.read(c, u.layout, a); c.err == nil && !d.addFunction(u, off, ranges, &e) {
				c.fail(errLarge)
			}
		}
	}
	u.spans.sort()
}

// addFunction adds a function with code. It returns false if the budget is exhausted.
func (d *Data) addFunction(u *unit, off uint64, ranges *ranges, e *entry) (ok bool) {
	ok = true
	before := len(u.spans.list)
	number := int32(len(u.functions))
	ranges.each(e, func(low, high uint64) bool {
		ok = d.addSpan(&u.spans, span{low, high, number})
		return ok
	})
	if len(u.spans.list) == before {
		return ok // a declaration, or a function that is inlined everywhere
	}
	u.functions = append(u.functions, function{off: off})
	return ok && d.keep(functionBytes)
}
