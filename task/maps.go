package task

import "os"

// MapReader is a live [Process] that tells what code is mapped at one address, and how
// a compiler in the target names what it makes there.
type MapReader interface {
	// MappedAt returns the executable mapping that an address lies in, false when
	// there is none. It is of a moment since Renew was called last; or of an
	// earlier one, where nothing that was mapped since can have been executed. While
	// something of the target is stopped it allocates nothing.
	MappedAt(Addr) (Mapped, bool, error)
	Renew()
	// OpenPerfMap opens the perf map in which a JIT compiler of the target may name the
	// code that it makes. The file is the caller's from then on, and its path is as the
	// target sees it. The error says why there is none that can be believed: anybody can
	// write to the folder that it is in.
	OpenPerfMap() (f *os.File, path string, err error)
	// OpenJITDump opens the jitdump, likewise: one of those that are mapped as if they
	// were code, by which perf finds it, or else one in a folder that is usual.
	OpenJITDump(mapped []string) (f *os.File, path string, err error)
}

// LoaderReader is a live [Process] whose kernel is asked for single addresses: where the
// loader is, and what it has loaded. A listing would take a call for each region. Its
// Regions have no paths.
type LoaderReader interface {
	// Loader returns where the loader describes what it has loaded by now
	// ([Info].LoaderInfo), and the size of pointers in it: dyld moves that while a
	// program starts. The address is 0 until the loader has published it.
	Loader() (a Addr, pointerSize int, err error)
	// Rename reads the program's name anew, which Info then returns, and reports whether it
	// has changed. A process may have been opened while exec put another program in its
	// place.
	Rename() bool
	// RegionAt returns the region that an address lies in, or the next above it,
	// false when there is none, without its path.
	RegionAt(Addr) (Region, bool, error)
	// PathAt returns the path of the file that is mapped at an address; empty when
	// there is none, or the system does not tell.
	PathAt(Addr) string
	// SetQueueOffsets says where libdispatch describes its queues: without it, those
	// that threads work for have no names.
	SetQueueOffsets(Addr) error
}

// Mapped is a mapping, of the addresses [Start, End).
type Mapped struct {
	Start, End Addr
	Mapping
}

// Contains reports whether a is in the mapping.
func (m *Mapped) Contains(a Addr) bool { return m.Start <= a && a < m.End }

// Mapping identifies what a mapping maps: two regions with equal ones show the same file
// at the same place.
type Mapping struct {
	Base       Addr   // where the file's first byte is, or would be
	Dev, Inode uint64 // 0: no file
}

// Mapping returns the region's.
func (r *Region) Mapping() Mapping {
	return Mapping{Base: r.Start - Addr(r.Offset), Dev: r.Dev, Inode: r.Inode}
}
