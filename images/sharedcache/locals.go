package sharedcache

import (
	"encoding/binary"
	"io"
	"strings"
)

// Offsets in dyld_cache_local_symbols_info, from its start, and sizes of
// dyld_cache_local_symbols_entry_64 and _entry.
const (
	localsNlists  = 0x0 // nlistOffset, nlistCount
	localsStrings = 0x8
	localsEntries = 0x10
	localsSize    = 0x18

	localSize   = 16
	localSizeV1 = 12
	nlistSize   = 16
)

// locals are the local symbols of all images, which the images in the cache lack.
type locals struct {
	nlists  *io.SectionReader
	strings *io.SectionReader
	images  map[uint64]span // by the image's vmaddr; parts of nlists
}

// Locals returns the local symbols of the image at a vmaddr: nlists and their names.
// It reports false if there are none.
func (c *Cache) Locals(vmaddr uint64) (nlists, names *io.SectionReader, ok bool) {
	if c.locals == nil {
		return nil, nil, false
	}
	at, ok := c.locals.images[vmaddr]
	if !ok || at.offset+at.size > uint64(c.locals.nlists.Size()) {
		return nil, nil, false
	}
	return io.NewSectionReader(c.locals.nlists, int64(at.offset), int64(at.size)), c.locals.strings, true
}

// openLocals finds the local symbols: since macOS 12 in a separate file, before that
// in an unmapped part of the main file.
func (c *Cache) openLocals(path string, main io.ReaderAt) error {
	switch {
	case c.main.size < hdrSymbolFile && c.main.locals.size != 0:
		return c.readLocals(main, c.main.locals)
	case c.main.symbolFile == [16]byte{}:
		return nil
	}
	f, h, err := c.openPart(basePath(path)+".symbols", c.main.symbolFile)
	if err != nil {
		c.missing = append(c.missing, err)
		return nil
	}
	return c.readLocals(f, h.locals)
}

// basePath returns the prefix of the other files' names, except those of macOS 12.
func basePath(path string) string { return strings.TrimSuffix(path, ".development") }

func (c *Cache) readLocals(r io.ReaderAt, at span) error {
	head, err := read(r, span{at.offset, localsSize}, localsSize)
	if err != nil {
		return err
	}
	part := func(field int, unit uint64) span {
		le := binary.LittleEndian
		return span{at.offset + uint64(le.Uint32(head[field:])), uint64(le.Uint32(head[field+4:])) * unit}
	}
	nlists, names, entries := part(localsNlists, nlistSize), part(localsStrings, 1), part(localsEntries, c.main.localSize())
	b, err := read(r, entries, maxImages*localSize)
	if err != nil {
		return err
	}
	c.locals = &locals{
		nlists:  io.NewSectionReader(r, int64(nlists.offset), int64(nlists.size)),
		strings: io.NewSectionReader(r, int64(names.offset), int64(names.size)),
		images:  c.localsByImage(b),
	}
	return nil
}

// localSize returns the size of an entry. Before macOS 12 it identified an image by
// its file offset, since then by its address.
func (h *header) localSize() uint64 {
	if h.size >= hdrSymbolFile {
		return localSize
	}
	return localSizeV1
}

func (c *Cache) localsByImage(b []byte) map[uint64]span {
	le := binary.LittleEndian
	size := int(c.main.localSize())
	images := make(map[uint64]span, len(b)/size)
	for ; len(b) >= size; b = b[size:] {
		var vmaddr uint64
		if size == localSize {
			vmaddr = c.main.start + le.Uint64(b)
		} else {
			vmaddr = c.main.vmaddr(uint64(le.Uint32(b)))
		}
		counts := b[size-8:]
		images[vmaddr] = span{uint64(le.Uint32(counts)) * nlistSize, uint64(le.Uint32(counts[4:])) * nlistSize}
	}
	return images
}

// vmaddr returns where an offset in the file is mapped; 0: nowhere.
func (h *header) vmaddr(offset uint64) uint64 {
	for _, m := range h.mappings {
		if offset-m.offset < m.size {
			return m.vmaddr + offset - m.offset
		}
	}
	return 0
}
