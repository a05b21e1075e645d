package cfi

import (
	"fmt"
	"sort"

	"stacksnap/images/object"
)

// header is the search table of .eh_frame_hdr: pairs of a function's start and its
// FDE's address, sorted (Linux Standard Base 5, 10.6.2).
type header struct {
	table    []byte
	count    int // number of pairs
	encoding uint8
	size     int    // of one number, in bytes
	base     uint64 // added to every number
	mask     uint64 // the bits of an address
}

// newHeader parses the header. It fails unless the table is sorted, because a search
// would miss entries.
func newHeader(sec object.Section, pointerSize int) (*header, error) {
	c := cursor{data: sec.Data, addr: sec.VMAddr}
	version, ptrEnc, countEnc, encoding := c.u8(), c.u8(), c.u8(), c.u8()
	if c.bad || version != 1 {
		return nil, fmt.Errorf("%w: .eh_frame_hdr of version %d", errMalformed, version)
	}
	if _, err := c.encoded(ptrEnc, pointerSize, bases{data: &sec.VMAddr}); err != nil {
		return nil, fmt.Errorf(".eh_frame_hdr: %w", err)
	}
	if countEnc == encOmit || encoding == encOmit {
		return nil, fmt.Errorf(".eh_frame_hdr has no table")
	}
	count, err := c.encoded(countEnc, pointerSize, bases{data: &sec.VMAddr})
	if err != nil {
		return nil, fmt.Errorf(".eh_frame_hdr: %w", err)
	}
	base, ok := tableBase(encoding, &sec)
	size := fixedSize(encoding, pointerSize)
	if c.bad || !ok || size == 0 || count > uint64(c.left()/(2*size)) {
		return nil, fmt.Errorf("%w: .eh_frame_hdr with %d entries of encoding %#x", errMalformed, count, encoding)
	}
	h := &header{sec.Data[c.pos:], int(count), encoding, size, base, 1<<(8*pointerSize) - 1}
	return h, h.check()
}

// tableBase returns the address that all numbers of the table are relative to.
func tableBase(encoding uint8, sec *object.Section) (uint64, bool) {
	switch encoding & 0x70 {
	case encAbsolute:
		return 0, true
	case encDataRel:
		return sec.VMAddr, true
	}
	return 0, false
}

func (h *header) check() error {
	last := uint64(0)
	for i := range h.count {
		start := h.number(2 * i)
		if start < last {
			return fmt.Errorf("%w: .eh_frame_hdr is not sorted", errMalformed)
		}
		last = start
	}
	return nil
}

// number returns the i-th number of the table.
func (h *header) number(i int) uint64 {
	at := i * h.size
	return (h.base + fixed(h.table[at:at+h.size], h.encoding)) & h.mask
}

// find returns the vmaddr of the FDE with the highest start at or below vmaddr.
func (h *header) find(vmaddr uint64) (uint64, bool) {
	i := sort.Search(h.count, func(i int) bool { return h.number(2*i) > vmaddr })
	if i == 0 {
		return 0, false
	}
	return h.number(2*(i-1) + 1), true
}
