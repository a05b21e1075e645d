package task

// Mapper is a live [Process] that tells cheaply what is mapped at one address.
type Mapper interface {
	// MappedAt returns the mapping that an address lies in, false when there is
	// none. Its error wraps ErrUnsupported where the system has no such call.
	MappedAt(Addr) (Mapping, bool, error)
}

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
