package dwarf

import "debug/dwarf"

// calls are the inlined calls in a function, each before those within it.
type calls struct {
	list   []call
	ranges []span // ranges of the calls; span.of is not used
}

// call is one inlined call.
type call struct {
	off          uint64 // of its entry
	ranges, ends int32  // its ranges are calls.ranges[ranges:ends]
	next         int32  // index of the first call that is not within it
	site
}

// site is a source position: a file of the unit's line table, a line, 0 if there is
// none, and a column, 0 if it is not known.
type site struct{ file, line, column uint32 }

const (
	callBytes = 48
	maxNested = 256 // maximum depth of inlined calls
)

// open is a call whose children are being read.
type open struct {
	call  int32
	depth int
}

// readCalls reads the inlined calls of a function.
func (d *Data) readCalls(u *unit, f *function) {
	if f.read {
		return
	}
	f.read = true
	table := d.abbrevs(u)
	c := d.cursor(secInfo, f.off, u.end, nearWindow)
	ranges := d.ranges(u)
	var opened []open
	for depth := 0; c.more(); {
		off := c.offset()
		code := c.uleb()
		if code == 0 {
			if depth--; depth <= 0 {
				break
			}
			opened = f.close(opened, depth)
			continue
		}
		a := table.find(code)
		if a == nil {
			break
		}
		if a.tag != dwarf.TagInlinedSubroutine {
			u.skipEntry(c, a)
		} else if !d.addCall(u, c, a, off, ranges, f) {
			break
		} else if a.children {
			opened = append(opened, open{int32(len(f.list) - 1), depth})
		}
		if a.children {
			depth++
		} else if depth == 0 {
			break // the function is empty
		}
		c.window = farWindow / 8 // it is larger than the first window
	}
	f.close(opened, -1)
}

// close ends the calls whose depth is at least depth.
func (s *calls) close(opened []open, depth int) []open {
	for n := len(opened); n > 0 && opened[n-1].depth >= depth; n-- {
		s.list[opened[n-1].call].next = int32(len(s.list))
		opened = opened[:n-1]
	}
	return opened
}

// addCall reads one inlined call.
func (d *Data) addCall(u *unit, c *cursor, a *abbrev, off uint64, ranges *ranges, f *function) bool {
	var e entry
	e.read(c, u.layout, a)
	if c.err != nil || !d.keep(callBytes) {
		return false
	}
	in := call{off: off, ranges: int32(len(f.ranges)), next: int32(len(f.list) + 1)}
	in.site = site{number(e.callFile), number(e.callLine), number(e.callColumn)}
	ok := true
	ranges.each(&e, func(low, high uint64) bool {
		if ok = d.keep(spanBytes); ok {
			f.ranges = append(f.ranges, span{low: low, high: high})
		}
		return ok
	})
	in.ends = int32(len(f.ranges))
	f.list = append(f.list, in)
	return ok
}

// number returns a valid file number, line or column, else 0.
func number(v uint64) uint32 {
	if v > 1<<31 {
		return 0
	}
	return uint32(v)
}

// at returns the calls that contain an address, the outermost first.
func (s *calls) at(a uint64) []*call {
	var in []*call
	for i, end := int32(0), int32(len(s.list)); i < end; {
		c := &s.list[i]
		if !s.covers(c, a) {
			i = c.next
			continue
		}
		in = append(in, c)
		if len(in) > maxNested {
			break // the last one has the position of the one before it
		}
		i, end = i+1, c.next
	}
	return in
}

func (s *calls) covers(c *call, a uint64) bool {
	for _, r := range s.ranges[c.ranges:c.ends] {
		if r.low <= a && a < r.high {
			return true
		}
	}
	return false
}
