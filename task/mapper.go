package task

// Mapper is a live [Process] that tells what code is mapped at one address.
type Mapper interface {
	// MappedAt returns the executable mapping that an address lies in, false when
	// there is none. It tells of a moment since Renew was called last; or of an
	// earlier one, where nothing that was mapped since can have been executed. While
	// something of the target stands it allocates nothing.
	MappedAt(Addr) (Mapped, bool, error)
	Renew()
}

// Mapped is a mapping, of the addresses [Start, End).
type Mapped struct {
	Start, End Addr
	Mapping
}

// Contains reports whether a is in the mapping.
func (m *Mapped) Contains(a Addr) bool { return m.Start <= a && a < m.End }

// Mapping is what tells mappings of files apart: equal ones show the same file
// at the same place.
type Mapping struct {
	Base       Addr   // where the file's first byte is, or would be
	Dev, Inode uint64 // 0: no file
}

// Mapping returns the region's.
func (r *Region) Mapping() Mapping {
	return Mapping{Base: r.Start - Addr(r.Offset), Dev: r.Dev, Inode: r.Inode}
}
