package recording

import "stacksnap/task"

// Map is what is mapped in the target for some time.
type Map struct {
	Images  []int         // image numbers, in the loader's order
	Regions []task.Region // mappings of code
	Cache   SharedCache   // of a Darwin process; zero: none is mapped
}

// SharedCache says where dyld's shared cache of libraries is mapped.
type SharedCache struct {
	UUID  [16]byte
	Base  task.Addr
	Slide uint64
}

// Limits of one map.
const (
	maxMapped  = 1 << 16 // images
	maxRegions = 1 << 18
)

func appendMap(b []byte, p *Map) []byte {
	for _, n := range p.Images {
		b = appendUint(b, 1, uint64(n))
	}
	for i := range p.Regions {
		var at int
		b, at = begin(b, 2)
		b = appendRegion(b, &p.Regions[i])
		b = end(b, at)
	}
	if p.Cache == (SharedCache{}) {
		return b
	}
	b, at := begin(b, 3)
	b = appendBytes(b, 1, string(p.Cache.UUID[:]))
	b = appendUintIf(b, 2, uint64(p.Cache.Base))
	b = appendUintIf(b, 3, p.Cache.Slide)
	return end(b, at)
}

func parseCache(data []byte) (SharedCache, error) {
	var c SharedCache
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			copy(c.UUID[:], m.data)
		case 2:
			c.Base = task.Addr(m.n)
		case 3:
			c.Slide = m.n
		}
	}
	return c, m.err
}

func appendRegion(b []byte, r *task.Region) []byte {
	b = appendUintIf(b, 1, uint64(r.Start))
	b = appendUintIf(b, 2, uint64(r.End-r.Start))
	b = appendUintIf(b, 3, uint64(r.Prot))
	b = appendBoolIf(b, 4, r.Shared)
	b = appendBytesIf(b, 5, r.Path)
	b = appendUintIf(b, 6, r.Offset)
	b = appendUintIf(b, 7, r.Dev)
	b = appendUintIf(b, 8, r.Inode)
	return appendBoolIf(b, 9, r.PathDeleted)
}

func parseMap(data []byte) (Map, error) {
	var p Map
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			m.packed(func(n uint64) error {
				if len(p.Images) == maxMapped {
					return errTooBig
				}
				p.Images = append(p.Images, index(n))
				return nil
			})
		case 2:
			if len(p.Regions) == maxRegions {
				return p, errTooBig
			}
			r, err := parseRegion(m.data)
			p.Regions = append(p.Regions, r)
			m.fail(err)
		case 3:
			var err error
			p.Cache, err = parseCache(m.data)
			m.fail(err)
		}
	}
	return p, m.err
}

func parseRegion(data []byte) (task.Region, error) {
	var r task.Region
	var size uint64
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			r.Start = task.Addr(m.n)
		case 2:
			size = m.n
		case 3:
			r.Prot = prot(m.n)
		case 4:
			r.Shared = m.bool()
		case 5:
			r.Path = m.string()
		case 6:
			r.Offset = m.n
		case 7:
			r.Dev = m.n
		case 8:
			r.Inode = m.n
		case 9:
			r.PathDeleted = m.bool()
		}
	}
	r.End = r.Start + task.Addr(size)
	if r.End < r.Start {
		r.End = ^task.Addr(0)
	}
	return r, m.err
}
