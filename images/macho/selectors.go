package macho

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"stacksnap/task"
)

// Offsets in the shared cache (dyld_cache_header and dyld_cache_image_info of
// <mach-o/dyld_cache_format.h>, and dyld's ObjCOptimizationHeader).
const (
	cacheHeaderSize  = 0x10 // mappingOffset, which is also the header's size
	cacheStart       = 0xe0 // sharedRegionStart, the start without a slide
	cacheSymbolFile  = 0x190
	cacheImages      = 0x1c0 // imagesOffset, imagesCount
	cacheObjcOpts    = 0x1d0
	objcSelectorBase = 48

	cacheImageSize = 32
	cacheImagePath = 24
	maxCacheImages = 1 << 14
	maxCachePaths  = 4 << 20 // bytes
)

// The selector that others are relative to in the caches of macOS 12, and the library
// that contains it (objc4-838's sharedCacheRelativeMethodBase).
const (
	magicSelector = "\xf0\x9f\xa4\xaf\x00"
	libobjc       = "/usr/lib/libobjc.A.dylib\x00"
)

// SetSharedCache sets the start of the shared cache that an image in memory is in.
// Call it before any query.
func (f *File) SetSharedCache(base task.Addr) {
	if f.InSharedCache() {
		f.cache = base
	}
}

// selectorBase returns a function that returns the vmaddr which the selector offset
// of a method is relative to, 0 if it is unknown. In macOS 11 that is the method
// itself (objc4-818), in 12 one selector, and since 13 it is in the cache's header.
// The header's size distinguishes the formats, as in dyld.
func (f *File) selectorBase() func(method uint64) uint64 {
	var base uint64
	asked, own := false, false
	return func(method uint64) uint64 {
		if !asked {
			base, own = f.readSelectorBase()
			asked = true
		}
		if own {
			return method
		}
		return base
	}
}

// readSelectorBase returns the vmaddr that all selector offsets are relative to, or
// own if each is relative to its method.
func (f *File) readSelectorBase() (base uint64, own bool) {
	m, ok := f.src.(*memorySource)
	if !ok || f.cache == 0 {
		return 0, false
	}
	c := cacheMemory{m.mem, f.cache}
	switch size := c.u32(cacheHeaderSize); {
	case size == 0:
		return 0, false
	case size <= cacheSymbolFile:
		return 0, true
	case size < cacheObjcOpts+8:
		base = c.magicSelector()
	default:
		base = c.optimizedBase()
	}
	if base == 0 {
		return 0, false
	}
	return base - f.slide, false
}

// cacheMemory is a shared cache mapped in a process.
type cacheMemory struct {
	mem  task.Memory
	base task.Addr
}

// bytes reads size bytes at an offset from the cache's start, nil if they are
// unreadable.
func (c cacheMemory) bytes(offset, size uint64) []byte {
	b := make([]byte, size)
	if task.ReadFull(c.mem, b, c.base+task.Addr(offset)) != nil {
		return nil
	}
	return b
}

func (c cacheMemory) u32(offset uint64) uint32 {
	if b := c.bytes(offset, 4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c cacheMemory) u64(offset uint64) uint64 {
	if b := c.bytes(offset, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// optimizedBase returns the address in the header of macOS 13 and later; 0 if there
// is none.
func (c cacheMemory) optimizedBase() uint64 {
	opts := c.u64(cacheObjcOpts)
	if opts == 0 {
		return 0
	}
	offset := c.u64(opts + objcSelectorBase)
	if offset == 0 {
		return 0
	}
	return uint64(c.base) + offset
}

// magicSelector returns the address of the selector that the others are relative to
// in the caches of macOS 12. A pointer in libobjc refers to it. It returns 0 if it is
// not found.
func (c cacheMemory) magicSelector() uint64 {
	load := c.image(libobjc)
	if load == 0 {
		return 0
	}
	f, err := FromMemory(c.mem, load, nil)
	if err != nil {
		return 0
	}
	pointer := f.pointer()
	for _, refs := range f.ranges("__objc_selrefs") {
		data := make([]byte, min(refs.Size, maxCachePaths)&^7)
		data = data[:f.readSome(data, refs.VMAddr)&^7]
		for at := uint64(0); at < uint64(len(data)); at += 8 {
			selector := pointer(refs.VMAddr+at, binary.LittleEndian.Uint64(data[at:])).Target
			var name [len(magicSelector)]byte
			if selector != 0 && f.readSome(name[:], selector) == len(name) && string(name[:]) == magicSelector {
				return selector + f.slide
			}
		}
	}
	return 0
}

// image returns where the image with a NUL-terminated path is mapped; 0 if it is not.
func (c cacheMemory) image(path string) task.Addr {
	images, count := uint64(c.u32(cacheImages)), uint64(c.u32(cacheImages+4))
	infos := c.bytes(images, min(count, maxCacheImages)*cacheImageSize)
	first, last := uint64(math.MaxUint32), uint64(0) // the paths are adjacent
	for info := range slices.Chunk(infos, cacheImageSize) {
		first, last = min(first, imagePath(info)), max(last, imagePath(info))
	}
	if last < first || last-first > maxCachePaths {
		return 0
	}
	paths := c.bytes(first, last-first+uint64(len(path)))
	for info := range slices.Chunk(infos, cacheImageSize) {
		if paths != nil && bytes.HasPrefix(paths[imagePath(info)-first:], []byte(path)) {
			return c.base + task.Addr(binary.LittleEndian.Uint64(info)-c.u64(cacheStart))
		}
	}
	return 0
}

// imagePath returns the offset of a dyld_cache_image_info's path.
func imagePath(info []byte) uint64 {
	return uint64(binary.LittleEndian.Uint32(info[cacheImagePath:]))
}
