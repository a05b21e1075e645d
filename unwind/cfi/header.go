package cfi

import (
	"fmt"
	"sort"

	"stacksnap/images/object"
)

// header is the table of .eh_frame_hdr: pairs of a function's start and its
// FDE's address, sorted (Linux Standard Base 5, 10.6.2).
type header struct {
	object.Section
	first       int // offset of the first pair
	count       int
	encoding    uint8
	size        int // of one number
	pointerSize int
}

// newHeader reads the header and makes sure that its table is sorted, so that
// searching it finds what is there.
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
	size := fixedSize(encoding, pointerSize)
	if c.bad || size == 0 || count > uint64(c.left()/(2*size)) {
		return nil, fmt.Errorf("%w: .eh_frame_hdr with %d entries", errMalformed, count)
	}
	h := &header{sec, c.pos, int(count), encoding, size, pointerSize}
	return h, h.check()
}

func (h *header) check() error {
	last := uint64(0)
	for i := range h.count {
		start, err := h.number(2 * i)
		if err != nil {
			return fmt.Errorf(".eh_frame_hdr: %w", err)
		}
		if start < last {
			return fmt.Errorf("%w: .eh_frame_hdr is not sorted", errMalformed)
		}
		last = start
	}
	return nil
}

// number reads the i-th number of the table.
func (h *header) number(i int) (uint64, error) {
	c := cursor{data: h.Data, pos: h.first + i*h.size, addr: h.VMAddr}
	return c.encoded(h.encoding, h.pointerSize, bases{data: &h.VMAddr})
}

// find returns the vmaddr of the FDE with the highest start not above vmaddr.
func (h *header) find(vmaddr uint64) (uint64, bool) {
	i := sort.Search(h.count, func(i int) bool {
		start, err := h.number(2 * i)
		return err == nil && start > vmaddr
	})
	if i == 0 {
		return 0, false
	}
	at, err := h.number(2*(i-1) + 1)
	return at, err == nil
}
