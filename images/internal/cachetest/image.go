package cachetest

import (
	"bytes"
	"encoding/binary"
	"testing"
)

var le = binary.LittleEndian

// The load commands with offsets into __LINKEDIT, and the positions of these in the
// command (<mach-o/loader.h>).
var linkEditOffsets = map[uint32][]int{
	0x2:        {8, 16},             // LC_SYMTAB
	0xb:        {56},                // LC_DYSYMTAB: the indirect symbols
	0x22:       {8, 16, 24, 32, 40}, // LC_DYLD_INFO
	0x80000022: {8, 16, 24, 32, 40},
	0x26:       {8}, // LC_FUNCTION_STARTS
	0x29:       {8}, // LC_DATA_IN_CODE
	0x80000033: {8}, // LC_DYLD_EXPORTS_TRIE
	0x80000034: {8}, // LC_DYLD_CHAINED_FIXUPS
}

const (
	lcSymtab    = 0x2
	lcSegment64 = 0x19
	lcUUID      = 0x1b

	headerSize    = 32
	segmentSize   = 72
	sectionSize   = 80
	nlistSize     = 16
	flagInCache   = 0x80000000
	redacted      = "<redacted>\x00"
	stabOrExtern  = 0xe0 | 0x01
	typeMask      = 0x0e
	typeInSection = 0x0e
)

// image is a library to be put into a cache.
type image struct {
	Image
	file     []byte // its header and load commands are changed in place
	data     [][]byte
	dataAt   []uint64
	linkedit []byte
	uuid     []byte
	sections []uint64 // by how much each section has moved
	nlists   []byte   // the removed symbols
}

// commands yields the load commands.
func (im *image) commands(yield func(cmd uint32, b []byte)) {
	b := im.file[headerSize:]
	for range le.Uint32(im.file[16:]) {
		size := le.Uint32(b[4:])
		yield(le.Uint32(b), b[:size])
		b = b[size:]
	}
}

func segmentName(b []byte) string { return string(bytes.TrimRight(b[8:24], "\x00")) }

// open parses a file.
func open(t testing.TB, from Image) *image {
	t.Helper()
	im := &image{Image: from, file: bytes.Clone(from.File)}
	im.commands(func(cmd uint32, b []byte) {
		switch {
		case cmd == lcUUID:
			im.uuid = b[8:24]
		case cmd == lcSegment64 && segmentName(b) == "__LINKEDIT":
			offset, size := le.Uint64(b[40:]), le.Uint64(b[48:])
			im.linkedit = bytes.Clone(from.File[offset : offset+size])
		}
	})
	if im.uuid == nil || im.linkedit == nil {
		t.Fatal("a library without LC_UUID or __LINKEDIT")
	}
	le.PutUint32(im.file[24:], le.Uint32(im.file[24:])|flagInCache)
	return im
}

// place moves the segments: __TEXT to its vmaddr, others to the addresses from next.
func (im *image) place(next func(size uint64) uint64) {
	im.commands(func(cmd uint32, b []byte) {
		if cmd != lcSegment64 || segmentName(b) == "__LINKEDIT" {
			return
		}
		vmaddr, size, offset, filesize := le.Uint64(b[24:]), le.Uint64(b[32:]), le.Uint64(b[40:]), le.Uint64(b[48:])
		bytesOf := im.File[offset : offset+filesize]
		to := im.VMAddr
		if segmentName(b) != "__TEXT" {
			to = next(size)
			im.data, im.dataAt = append(im.data, bytesOf), append(im.dataAt, to)
		}
		le.PutUint64(b[24:], to)
		for s := b[segmentSize:]; len(s) >= sectionSize; s = s[sectionSize:] {
			le.PutUint64(s[32:], le.Uint64(s[32:])-vmaddr+to)
			im.sections = append(im.sections, to-vmaddr)
		}
	})
}

// redact removes the local symbols, and appends their names to names.
func (im *image) redact(names []byte) []byte {
	im.eachSymtab(func(symtab []byte, base uint64) {
		symbols := im.linkedit[uint64(le.Uint32(symtab[8:]))-base:]
		strings := im.linkedit[uint64(le.Uint32(symtab[16:]))-base:][:le.Uint32(symtab[20:])]
		for range le.Uint32(symtab[12:]) {
			n := symbols[:nlistSize]
			symbols = symbols[nlistSize:]
			if n[4]&stabOrExtern != 0 || n[4]&typeMask != typeInSection {
				continue
			}
			local := bytes.Clone(n)
			name, _, _ := bytes.Cut(strings[le.Uint32(n):], []byte{0})
			le.PutUint32(local, uint32(len(names)))
			names = append(append(names, name...), 0)
			im.nlists = append(im.nlists, local...)
			le.PutUint32(n, uint32(len(strings))) // see growStrings
		}
	})
	return names
}

// growStrings moves the string table to the end, adding the name of removed symbols.
func (im *image) growStrings() {
	im.eachSymtab(func(symtab []byte, base uint64) {
		strings := im.linkedit[uint64(le.Uint32(symtab[16:]))-base:][:le.Uint32(symtab[20:])]
		at := len(im.linkedit)
		im.linkedit = append(append(im.linkedit, strings...), redacted...)
		le.PutUint32(symtab[16:], uint32(base)+uint32(at))
		le.PutUint32(symtab[20:], uint32(len(strings)+len(redacted)))
	})
}

// moveSymbols updates the addresses of symbols to where their sections are now.
func (im *image) moveSymbols() {
	im.eachSymtab(func(symtab []byte, base uint64) {
		for b := im.linkedit[uint64(le.Uint32(symtab[8:]))-base:][:le.Uint32(symtab[12:])*nlistSize]; len(b) > 0; b = b[nlistSize:] {
			if n := b[5]; b[4]&typeMask == typeInSection && n > 0 && int(n) <= len(im.sections) {
				le.PutUint64(b[8:], le.Uint64(b[8:])+im.sections[n-1])
			}
		}
	})
}

// eachSymtab yields LC_SYMTAB and the file offset of __LINKEDIT.
func (im *image) eachSymtab(yield func(symtab []byte, base uint64)) {
	var base uint64
	im.commands(func(cmd uint32, b []byte) {
		if cmd == lcSegment64 && segmentName(b) == "__LINKEDIT" {
			base = le.Uint64(b[40:])
		}
	})
	im.commands(func(cmd uint32, b []byte) {
		if cmd == lcSymtab {
			yield(b, base)
		}
	})
}

// placeLinkEdit makes the cache's whole __LINKEDIT the image's; its own bytes start
// at at.
func (im *image) placeLinkEdit(region mapping, at uint64) {
	var base uint64
	im.eachSymtab(func(_ []byte, b uint64) { base = b })
	im.commands(func(cmd uint32, b []byte) {
		if cmd == lcSegment64 && segmentName(b) == "__LINKEDIT" {
			for i, v := range []uint64{region.vmaddr, region.size, region.offset, region.size} {
				le.PutUint64(b[24+8*i:], v)
			}
		}
		for _, field := range linkEditOffsets[cmd] {
			if v := le.Uint32(b[field:]); v != 0 {
				le.PutUint32(b[field:], uint32(uint64(v)-base+region.offset+at))
			}
		}
	})
}

// textBytes returns __TEXT with the current header and load commands.
func (im *image) textBytes() (text []byte) {
	im.commands(func(cmd uint32, b []byte) {
		if cmd == lcSegment64 && segmentName(b) == "__TEXT" {
			text = im.file[le.Uint64(b[40:]):][:le.Uint64(b[48:])]
		}
	})
	return text
}
