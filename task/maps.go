package task

import "os"

// MapReader is a live [Process] that reports what code is mapped at a single address, and how a
// JIT compiler in the target names the code that it makes.
type MapReader interface {
	// MappedAt returns the executable mapping that contains an address, false when there is
	// none. It reports the state at some moment since the last call of Renew. It may report an
	// earlier state if no code that was mapped since can have been executed. It allocates
	// nothing while something of the target is stopped.
	MappedAt(Addr) (Mapped, bool, error)
	Renew()
	// OpenPerfMap opens the perf map in which a JIT compiler of the target may name its code.
	// The caller closes the file. The path is as the target sees it. The error says why no such
	// file can be trusted: anybody can write to its directory.
	OpenPerfMap() (f *os.File, path string, err error)
	// OpenJITDump opens the target's jitdump in the same way. It is one of the files in mapped,
	// which are mapped as if they were code so that perf finds them, or else a file in one of
	// the usual directories.
	OpenJITDump(mapped []string) (f *os.File, path string, err error)
}

// LoaderReader is a live [Process] whose kernel is asked about single addresses: where the
// loader is, and what it has loaded. Listing the regions would take a call for each, so the
// process's Regions have no paths.
type LoaderReader interface {
	// Loader returns where the loader currently describes what it has loaded
	// ([Info].LoaderInfo), and the size of pointers there. dyld moves that description while a
	// program starts. The address is 0 until the loader has published it.
	Loader() (a Addr, pointerSize int, err error)
	// Rename reads the program's name again, updates [Info], and reports whether the name has
	// changed. A process may have been opened while exec put another program in its place.
	Rename() bool
	// RegionAt returns, without its path, the region that contains an address or the next one
	// above it, false when there is none.
	RegionAt(Addr) (Region, bool, error)
	// PathAt returns the path of the file that is mapped at an address; empty when there is none
	// or the system does not report it.
	PathAt(Addr) string
	// SetQueueOffsets sets the address at which libdispatch describes the layout of its queues.
	// Without it, the queues that threads work for have no names.
	SetQueueOffsets(Addr) error
}

// Mapped is a mapping of the addresses [Start, End).
type Mapped struct {
	Start, End Addr
	Mapping
}

// Contains reports whether a is in the mapping.
func (m *Mapped) Contains(a Addr) bool { return m.Start <= a && a < m.End }

// Mapping identifies the contents of a mapping: two regions with equal Mappings show the same
// file at the same place.
type Mapping struct {
	Base       Addr   // where the file's first byte is, or would be
	Dev, Inode uint64 // 0: no file
}

// Mapping returns what the region maps.
func (r *Region) Mapping() Mapping {
	return Mapping{Base: r.Start - Addr(r.Offset), Dev: r.Dev, Inode: r.Inode}
}
