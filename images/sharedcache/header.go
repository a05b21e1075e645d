package sharedcache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// Offsets in dyld_cache_header.
const (
	hdrMappings     = 0x10 // mappingOffset, mappingCount; mappingOffset is also the header's size
	hdrLocals       = 0x48 // localSymbolsOffset, localSymbolsSize
	hdrUUID         = 0x58
	hdrImages       = 0x88 // imagesTextOffset, imagesTextCount
	hdrStart        = 0xe0 // sharedRegionStart
	hdrSubcaches    = 0x188
	hdrSymbolFile   = 0x190 // symbolFileUUID
	hdrCacheSubType = 0x1c8 // headers up to here have subcache entries without names

	headerSize = 0x200 // bytes read; later fields are not used
)

// Sizes of what the header refers to.
const (
	mappingSize    = 32 // dyld_cache_mapping_info
	imageSize      = 32 // dyld_cache_image_text_info
	subcacheSizeV1 = 24 // dyld_subcache_entry_v1
	subcacheSize   = 56 // dyld_subcache_entry
	suffixSize     = 32
)

// Limits. The caches of 2025 have some 3,500 images, 60 subcaches and up to ten
// mappings in each file.
const (
	maxMappings  = 64
	maxImages    = 1 << 14
	maxSubcaches = 256
)

// ErrNotCache means that a file is not a shared cache.
var ErrNotCache = errors.New("not a shared cache")

var (
	magic    = []byte("dyld_v1 ")
	errCut   = errors.New("the shared cache ends within its header")
	errTable = errors.New("a table of the shared cache is too large, or not in the file")
)

// header has the used fields of one file's header.
type header struct {
	size       uint32 // of the header; determines which fields exist
	uuid       [16]byte
	symbolFile [16]byte // UUID of the file with the local symbols; zero: none
	start      uint64   // vmaddr of the cache
	locals     span     // in this file; size 0: none
	mappings   []mapping
	subcaches  span
	images     span
}

// span is a part of a file, in bytes.
type span struct{ offset, size uint64 }

// mapping is a mapped part of a file.
type mapping struct {
	vmaddr, size, offset uint64
	writable             bool
}

// readHeader reads the header of a file.
func readHeader(r io.ReaderAt) (h header, err error) {
	b := make([]byte, headerSize)
	n, err := r.ReadAt(b, 0)
	if !bytes.HasPrefix(b[:n], magic) {
		return h, ErrNotCache
	}
	le := binary.LittleEndian
	if h.size = le.Uint32(b[hdrMappings:]); uint64(n) < min(uint64(h.size), headerSize) || h.size < hdrStart+8 {
		return h, errors.Join(errCut, ignoreEOF(err))
	}
	clear(b[min(h.size, headerSize):]) // the rest is not part of the header
	h.uuid = [16]byte(b[hdrUUID:])
	h.locals = span{le.Uint64(b[hdrLocals:]), le.Uint64(b[hdrLocals+8:])}
	h.start = le.Uint64(b[hdrStart:])
	h.images = span{le.Uint64(b[hdrImages:]), le.Uint64(b[hdrImages+8:]) * imageSize}
	if le.Uint64(b[hdrImages+8:]) > maxImages {
		return h, errTable
	}
	h.symbolFile = [16]byte(b[hdrSymbolFile:])
	h.subcaches = span{uint64(le.Uint32(b[hdrSubcaches:])), uint64(le.Uint32(b[hdrSubcaches+4:])) * h.subcacheSize()}
	h.mappings, err = readMappings(r, span{uint64(h.size), uint64(le.Uint32(b[hdrMappings+4:])) * mappingSize})
	return h, err
}

// subcacheSize returns the size of a subcache entry. Those of macOS 12 have no name.
func (h *header) subcacheSize() uint64 {
	if h.size <= hdrCacheSubType {
		return subcacheSizeV1
	}
	return subcacheSize
}

func readMappings(r io.ReaderAt, at span) (list []mapping, err error) {
	b, err := read(r, at, maxMappings*mappingSize)
	le := binary.LittleEndian
	for m := range slices.Chunk(b, mappingSize) {
		const protWrite = 2 // in initProt
		list = append(list, mapping{
			vmaddr: le.Uint64(m), size: le.Uint64(m[8:]), offset: le.Uint64(m[16:]), writable: m[28]&protWrite != 0,
		})
	}
	return list, err
}

// read reads a table of at most most bytes.
func read(r io.ReaderAt, at span, most uint64) ([]byte, error) {
	if at.size > most || at.offset > 1<<62 {
		return nil, errTable
	}
	b := make([]byte, at.size)
	if n, err := r.ReadAt(b, int64(at.offset)); uint64(n) < at.size {
		return nil, errors.Join(errTable, ignoreEOF(err))
	}
	return b, nil
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
