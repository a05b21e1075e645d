// Package dyld finds the images of a Darwin process the way debuggers do: from
// dyld's own list in the process's memory. It is plain reading of a
// [task.Memory], so it serves live tasks, cores and recordings on any host.
package dyld

import (
	"encoding/binary"
	"fmt"

	"stacksnap/task"
)

// field is a field of struct dyld_all_image_infos: where it is in the 32- and
// the 64-bit layout, its size in them, and the version that brought it.
// (<mach-o/dyld_images.h>; dyld_process_info_internal.h has both layouts)
type field struct {
	at32, at64     int
	size32, size64 int
	since          uint32
}

var (
	fVersion        = field{0x00, 0x00, 4, 4, 1}
	fCount          = field{0x04, 0x04, 4, 4, 1}
	fArray          = field{0x08, 0x08, 4, 8, 1}
	fDetached       = field{0x10, 0x18, 1, 1, 1}
	fLibSystem      = field{0x11, 0x19, 1, 1, 2}
	fDyldLoad       = field{0x14, 0x20, 4, 8, 2}
	fErrorMessage   = field{0x20, 0x38, 4, 8, 5}
	fInitialCount   = field{0x3c, 0x70, 4, 8, 10}
	fCacheSlide     = field{0x50, 0x98, 4, 8, 12}
	fCacheUUID      = field{0x54, 0xa0, 16, 16, 13}
	fCacheBase      = field{0x64, 0xb0, 4, 8, 15}
	fTimestamp      = field{0x68, 0xb8, 8, 8, 15}
	fDyldPath       = field{0x70, 0xc0, 4, 8, 15}
	fPlatform       = field{0xb0, 0x140, 4, 4, 16}
	infosSize32     = 0xb4
	infosSize64     = 0x144
	imageEntryWords = 3 // struct dyld_image_info: load address, path, modification date
)

// Infos is what is used of a dyld_all_image_infos. Fields that its version does
// not have are zero.
type Infos struct {
	At                   task.Addr // where it was read
	Version              uint32
	Count                uint32
	Array                task.Addr // 0 while dyld changes the list
	Timestamp            uint64    // when the list changed last; 0 before dyld has run
	LibSystemInitialized bool
	InitialCount         uint64
	ErrorMessage         task.Addr // why dyld ended the process, 0 mostly
	DyldLoad             task.Addr
	DyldPath             task.Addr
	Platform             uint32
	Cache                SharedCache

	pointer int // the size of its pointers
}

// SharedCache is where dyld's shared cache is mapped in a process.
type SharedCache struct {
	UUID    [16]byte
	Base    task.Addr
	Slide   uint64
	Private bool // mapped by this process alone
}

// Mapped reports whether the process has a shared cache.
func (c *SharedCache) Mapped() bool { return c.UUID != [16]byte{} }

// Generation is what of the list changes when an image is loaded or unloaded, or
// when the list moves. Equal generations: the same images.
type Generation struct {
	At        task.Addr // where the dyld_all_image_infos is
	Timestamp uint64
	Array     task.Addr
	Count     uint32
}

// Generation returns the generation of the list.
func (i *Infos) Generation() Generation { return Generation{i.At, i.Timestamp, i.Array, i.Count} }

// largestField is the size of a UUID.
const largestField = 16

// reader takes fields out of the bytes of a dyld_all_image_infos.
type reader struct {
	b       []byte
	is64    bool
	version uint32
	none    [largestField]byte // what a field is that is not there
}

func (r *reader) bytes(f field) []byte {
	at, size := f.at32, f.size32
	if r.is64 {
		at, size = f.at64, f.size64
	}
	if r.version < f.since || at+size > len(r.b) {
		return r.none[:size]
	}
	return r.b[at : at+size]
}

func (r *reader) uint(f field) uint64 {
	var b [8]byte
	copy(b[:], r.bytes(f))
	return binary.LittleEndian.Uint64(b[:])
}

func (r *reader) addr(f field) task.Addr { return task.Addr(r.uint(f)) }

// ReadInfos reads the dyld_all_image_infos at a, of 32- or 64-bit layout as
// pointerSize (4 or 8) says. Of one that is only partly readable, the fields
// that are there count.
func ReadInfos(mem task.Memory, a task.Addr, pointerSize int) (Infos, error) {
	b := make([]byte, infosSize(pointerSize))
	n, err := mem.ReadMemory(b, a)
	infos, ok := parseInfos(b[:n], place{a, pointerSize})
	if !ok {
		if err == nil {
			err = &task.FaultError{Addr: a + task.Addr(n)}
		}
		return Infos{}, fmt.Errorf("dyld's list of images: %w", err)
	}
	infos.slideCache(mem)
	return infos, nil
}

// The platforms of simulators (EXTERNAL_HEADERS/mach-o/loader.h of XNU, PLATFORM_*SIMULATOR).
const (
	simulatorIOS      = 7
	simulatorTVOS     = 8
	simulatorWatchOS  = 9
	simulatorVisionOS = 12
)

// cacheMagic begins the header of every shared cache.
const cacheMagic = "dyld_v1"

// slideCache corrects the base that a simulator's dyld notes: where the cache would be
// without its slide (dyld/ExternallyViewableState.cpp, setRuntimeState). Older ones note
// where it is.
func (i *Infos) slideCache(mem task.Memory) {
	switch i.Platform {
	case simulatorIOS, simulatorTVOS, simulatorWatchOS, simulatorVisionOS:
	default:
		return
	}
	magic := make([]byte, len(cacheMagic))
	slid := i.Cache.Base + task.Addr(i.Cache.Slide)
	if task.ReadFull(mem, magic, slid) == nil && string(magic) == cacheMagic {
		i.Cache.Base = slid
	}
}

// infosSize is how much is read of a dyld_all_image_infos.
func infosSize(pointerSize int) int {
	if pointerSize == 4 {
		return infosSize32
	}
	return infosSize64
}

// parseInfos takes in what could be read at a place; false where that is too
// little. It allocates nothing.
func parseInfos(b []byte, from place) (Infos, bool) {
	r := reader{b: b, is64: from.pointer != 4, version: 1}
	if len(b) < fDyldLoad.at64 {
		return Infos{}, false
	}
	r.version = uint32(r.uint(fVersion))
	infos := r.infos()
	infos.At, infos.pointer = from.at, 8
	if !r.is64 {
		infos.pointer = 4
	}
	return infos, true
}

func (r *reader) infos() Infos {
	return Infos{
		Version:              r.version,
		Count:                uint32(r.uint(fCount)),
		Array:                r.addr(fArray),
		Timestamp:            r.uint(fTimestamp),
		LibSystemInitialized: r.uint(fLibSystem) != 0,
		InitialCount:         r.uint(fInitialCount),
		ErrorMessage:         r.addr(fErrorMessage),
		DyldLoad:             r.addr(fDyldLoad),
		DyldPath:             r.addr(fDyldPath),
		Platform:             uint32(r.uint(fPlatform)),
		Cache: SharedCache{
			UUID:    [16]byte(r.bytes(fCacheUUID)),
			Base:    r.addr(fCacheBase),
			Slide:   r.uint(fCacheSlide),
			Private: r.uint(fDetached) != 0,
		},
	}
}
