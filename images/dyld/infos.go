// Package dyld finds the images of a Darwin process as debuggers do: from dyld's own
// list in the process's memory. It only reads a [task.Memory], so it works for live
// processes, cores and recordings on any host.
package dyld

import (
	"encoding/binary"
	"fmt"

	"stacksnap/task"
)

// field is a field of struct dyld_all_image_infos: its offset in the 32- and the
// 64-bit layout, its size in each, and the version that introduced it.
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

// Infos has the used fields of a dyld_all_image_infos. Fields that its version lacks
// are zero.
type Infos struct {
	At                   task.Addr // where it was read
	Version              uint32
	Count                uint32
	Array                task.Addr // 0 while dyld changes the list
	Timestamp            uint64    // of the last change of the list; 0 before dyld has run
	LibSystemInitialized bool
	InitialCount         uint64
	ErrorMessage         task.Addr // why dyld terminated the process; 0 normally
	DyldLoad             task.Addr
	DyldPath             task.Addr
	Platform             uint32
	Cache                SharedCache

	pointer int // size of the process's pointers
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

// Generation changes whenever an image is loaded or unloaded, or the list moves.
// Equal generations mean equal lists.
type Generation struct {
	At        task.Addr // address of the dyld_all_image_infos
	Timestamp uint64
	Array     task.Addr
	Count     uint32
}

// Generation returns the list's generation.
func (i *Infos) Generation() Generation { return Generation{i.At, i.Timestamp, i.Array, i.Count} }

// largestField is the size of a UUID.
const largestField = 16

// reader decodes the fields of a dyld_all_image_infos.
type reader struct {
	b       []byte
	is64    bool
	version uint32
	none    [largestField]byte // the value of a missing field
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

// ReadInfos reads the dyld_all_image_infos at a; pointerSize, 4 or 8, selects its
// layout. If it is only partly readable, the readable fields are returned.
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

// cacheMagic is the start of every shared cache's header.
const cacheMagic = "dyld_v1"

// slideCache corrects the cache base that a simulator's dyld reports without the
// slide (dyld/ExternallyViewableState.cpp, setRuntimeState). Older ones include it.
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

// infosSize returns how many bytes of a dyld_all_image_infos are read.
func infosSize(pointerSize int) int {
	if pointerSize == 4 {
		return infosSize32
	}
	return infosSize64
}

// parseInfos decodes the bytes read at a place. It reports false if they are too few.
// It allocates nothing.
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
