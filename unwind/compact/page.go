package compact

import (
	"encoding/binary"
	"iter"

	"stacksnap/unwind/rule"
)

// page is a second-level page.
type page struct {
	table      *Table
	kind       uint32
	start, end uint32 // the code it covers, as offsets from the image's load address
	entries    array
	encodings  array // local to a compressed page
}

// page parses the header of first-level entry i's page; i must not be the last entry.
// It returns [rule.ErrNone] for an entry without a page, whose code has no unwind
// information.
func (t *Table) page(i uint32) (page, error) {
	at := t.index.off + i*indexSize
	p := page{table: t, start: u32(t.data, at), end: u32(t.data, at+indexSize)}
	off := u32(t.data, at+4)
	switch {
	case off == 0:
		return p, rule.ErrNone
	case p.end < p.start:
		return p, errOrder
	case uint64(off)+8 > uint64(len(t.data)):
		return p, errPage
	}
	p.kind = u32(t.data, off)
	p.entries = p.array(off, off+4)
	switch {
	case p.kind == regularPage && p.entries.in(t.data, regularSize):
		return p, nil
	case p.kind == compressedPage && p.entries.in(t.data, compressedSize) && uint64(off)+12 <= uint64(len(t.data)):
		p.encodings = p.array(off, off+8)
		if p.encodings.in(t.data, 4) {
			return p, nil
		}
	}
	return p, errPage
}

// array reads the header fields at offset at: the array's offset from the page's
// start, and its count.
func (p *page) array(pageOff, at uint32) array {
	d := p.table.data
	return array{pageOff + uint32(binary.LittleEndian.Uint16(d[at:])), uint32(binary.LittleEndian.Uint16(d[at+2:]))}
}

func (p *page) lookup(off uint32) (Entry, error) {
	i, ok := p.search(off)
	if !ok {
		return Entry{}, rule.ErrNone
	}
	e, err := p.entry(i)
	if err == nil && (off < e.Start || off >= e.End) {
		return Entry{}, rule.ErrNone
	}
	return e, err
}

// search returns the index of the last entry that starts at or below off.
func (p *page) search(off uint32) (uint32, bool) {
	if p.kind == regularPage {
		return p.table.search(p.entries, regularSize, off)
	}
	low, high := uint32(0), p.entries.count
	for low < high {
		mid := low + (high-low)/2
		if p.functionStart(mid) <= off {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low - 1, low > 0
}

// functionStart returns where entry i starts. A compressed entry has a 24-bit
// distance from the start of the page's code, a regular one all 32 bits.
func (p *page) functionStart(i uint32) uint32 {
	if p.kind == regularPage {
		return u32(p.table.data, p.entries.off+i*regularSize)
	}
	return p.start + u32(p.table.data, p.entries.off+i*compressedSize)&0xffffff
}

func (p *page) entry(i uint32) (Entry, error) {
	e := Entry{Start: p.functionStart(i), End: p.end}
	if i+1 < p.entries.count {
		e.End = p.functionStart(i + 1)
	}
	if e.End < e.Start {
		return Entry{}, errOrder
	}
	var err error
	e.Encoding, err = p.encoding(i)
	return e, err
}

// encoding returns the encoding of entry i. A compressed entry has an index into the
// common encodings followed by the page's own.
func (p *page) encoding(i uint32) (Encoding, error) {
	t := p.table
	if p.kind == regularPage {
		return Encoding(u32(t.data, p.entries.off+i*regularSize+4)), nil
	}
	n := u32(t.data, p.entries.off+i*compressedSize) >> 24
	if n < t.common.count {
		return Encoding(u32(t.data, t.common.off+n*4)), nil
	}
	if n -= t.common.count; n < p.encodings.count {
		return Encoding(u32(t.data, p.encodings.off+n*4)), nil
	}
	return 0, errEncoding
}

// All yields every entry in order, and an error in place of each that cannot be read.
func (t *Table) All() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for i := uint32(0); i+1 < t.index.count; i++ {
			p, err := t.page(i)
			if err == rule.ErrNone {
				continue
			}
			if err != nil && !yield(Entry{}, err) {
				return
			}
			for j := uint32(0); err == nil && j < p.entries.count; j++ {
				if e, err := p.entry(j); !yield(e, err) {
					return
				}
			}
		}
	}
}
