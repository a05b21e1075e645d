// Package compact makes rules from __TEXT,__unwind_info, the table in which Mach-O
// describes the body of each function by 32 bits (mach-o/compact_unwind_encoding.h).
//
// A table is searched in place. Only its header is checked in advance; every offset
// is checked when it is followed.
package compact

import (
	"encoding/binary"
	"errors"
	"fmt"

	"stacksnap/unwind/rule"
)

// ErrCorrupt is wrapped by errors about a malformed table.
var ErrCorrupt = errors.New("__unwind_info is corrupt")

var (
	errHeader   = fmt.Errorf("%w: bad header", ErrCorrupt)
	errVersion  = fmt.Errorf("%w: version is not 1", ErrCorrupt)
	errPage     = fmt.Errorf("%w: bad second-level page", ErrCorrupt)
	errEncoding = fmt.Errorf("%w: no such encoding in the page", ErrCorrupt)
	errOrder    = fmt.Errorf("%w: entries not in order", ErrCorrupt)
)

// Sizes and kinds from mach-o/compact_unwind_encoding.h.
const (
	sectionVersion = 1
	headerSize     = 28 // unwind_info_section_header
	indexSize      = 12 // unwind_info_section_header_index_entry
	regularSize    = 8  // unwind_info_regular_second_level_entry
	compressedSize = 4

	regularPage    = 2
	compressedPage = 3
)

// Table holds the bytes of one __unwind_info section. The zero Table covers nothing.
// It is immutable.
type Table struct {
	data   []byte
	common array // encodings, shared by all compressed pages
	index  array // first level; the last entry is the end
}

// array is count fixed-size records at offset off in the section, checked to be in
// it.
type array struct{ off, count uint32 }

// Entry is a range of code, [Start, End) from the image's load address, that one
// encoding describes: a function, part of one, or several.
type Entry struct {
	Start, End uint32
	Encoding   Encoding
}

// Parse checks the header of a section. The Table keeps data.
func Parse(data []byte) (Table, error) {
	if len(data) < headerSize || uint64(len(data)) > 1<<31 {
		return Table{}, errHeader
	}
	if u32(data, 0) != sectionVersion {
		return Table{}, errVersion
	}
	t := Table{
		data:   data,
		common: array{u32(data, 4), u32(data, 8)},
		index:  array{u32(data, 20), u32(data, 24)},
	}
	if !t.common.in(data, 4) || !t.index.in(data, indexSize) {
		return Table{}, errHeader
	}
	return t, nil
}

func (a array) in(data []byte, size uint64) bool {
	return uint64(a.off)+uint64(a.count)*size <= uint64(len(data))
}

// u32 reads a word at an offset that was checked before.
func u32(b []byte, off uint32) uint32 { return binary.LittleEndian.Uint32(b[off:]) }

// Lookup returns the entry that covers off, an offset from the image's load address.
// The error is [rule.ErrNone] if no entry does; others wrap [ErrCorrupt].
func (t *Table) Lookup(off uint32) (Entry, error) {
	i, ok := t.search(t.index, indexSize, off)
	if !ok || i+1 >= t.index.count {
		return Entry{}, rule.ErrNone
	}
	p, err := t.page(i)
	if err != nil {
		return Entry{}, err
	}
	return p.lookup(off)
}

// search returns the index of the last record whose first word is at most key.
func (t *Table) search(a array, size, key uint32) (uint32, bool) {
	low, high := uint32(0), a.count
	for low < high {
		mid := low + (high-low)/2
		if u32(t.data, a.off+mid*size) <= key {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low - 1, low > 0
}
