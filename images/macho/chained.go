package macho

import "stacksnap/images/objc"

// Formats of chained pointers, DYLD_CHAINED_PTR_… (<mach-o/fixup-chains.h>).
const (
	chainedARM64E         = 1
	chained64             = 2
	chained64Offset       = 6
	chainedARM64EOffset   = 7
	chainedARM64EUserland = 9
	chainedARM64EFirmware = 10
	chainedARM64EUser24   = 12
)

// Formats of the import table, DYLD_CHAINED_IMPORT….
const (
	importPlain    = 1
	importAddend   = 2
	importAddend64 = 3
)

const chainedHeaderSize = 28

// chained decodes the pointers in a file that form chains: each holds its target and
// the distance to the next one, until dyld replaces it by an address.
type chained struct {
	file            *File
	base            uint64   // vmaddr of the header
	formats         []uint16 // by segment; 0: no pointers in it
	imports, names  uint64   // offsets in the file
	count           uint32   // number of imports
	importFormat    uint32
	compressedNames bool
}

// readChained reads LC_DYLD_CHAINED_FIXUPS without following the chains: every
// pointer in the class metadata is part of one. It returns nil if that is unreadable.
func (f *File) readChained() *chained {
	var b [chainedHeaderSize]byte
	base, ok := f.TextVMAddr()
	if !ok || f.chained.size < chainedHeaderSize || !f.readChainedAt(b[:], 0) {
		return nil
	}
	c := cursor{data: b[:], order: f.order}
	version, starts, imports, names := c.u32(), c.u32(), c.u32(), c.u32()
	if version != 0 {
		return nil
	}
	t := &chained{file: f, base: base, count: c.u32(), importFormat: c.u32(), compressedNames: c.u32() != 0}
	t.imports, t.names = uint64(imports), uint64(names)
	t.formats = f.chainedFormats(uint64(starts))
	return t
}

// chainedFormats reads the format of each segment's pointers.
func (f *File) chainedFormats(starts uint64) []uint16 {
	formats := make([]uint16, len(f.segments))
	var b [8]byte
	if !f.readChainedAt(b[:4], starts) {
		return formats
	}
	n := min(uint64(f.order.Uint32(b[:])), uint64(len(formats)))
	for i := range n {
		if !f.readChainedAt(b[:4], starts+4+4*i) {
			break
		}
		at := uint64(f.order.Uint32(b[:]))
		if at != 0 && f.readChainedAt(b[:], starts+at) { // size, page_size, pointer_format
			formats[i] = f.order.Uint16(b[6:])
		}
	}
	return formats
}

// readChainedAt reads all of p from the load command's data.
func (f *File) readChainedAt(p []byte, at uint64) bool {
	if at > f.chained.size || uint64(len(p)) > f.chained.size-at {
		return false
	}
	return readFull(p, f.chained.offset+at, f.src.readLinkEdit)
}

// pointer decodes the link stored at a vmaddr.
func (t *chained) pointer(vmaddr, link uint64) objc.Pointer {
	if link == 0 {
		return objc.Pointer{}
	}
	for i, s := range t.file.segments {
		if vmaddr-s.VMAddr >= s.Size || vmaddr < s.VMAddr {
			continue
		}
		target, ordinal := t.decode(t.formats[i], link)
		if ordinal >= 0 {
			return objc.Pointer{Import: t.importName(uint32(ordinal))}
		}
		return objc.Pointer{Target: target}
	}
	return objc.Pointer{}
}

// decode returns the vmaddr that a link refers to, and the index of an import or −1.
// Of an unknown format it returns 0 and −1.
func (t *chained) decode(format uint16, link uint64) (target uint64, ordinal int32) {
	switch format {
	case chained64, chained64Offset:
		if link>>63 != 0 {
			return 0, int32(link & (1<<24 - 1))
		}
		target = link & (1<<36 - 1)
		if format == chained64Offset {
			target += t.base
		}
		return target, -1
	case chainedARM64E, chainedARM64EOffset, chainedARM64EUserland, chainedARM64EFirmware, chainedARM64EUser24:
		return t.decodeARM64E(format, link)
	}
	return 0, -1
}

func (t *chained) decodeARM64E(format uint16, link uint64) (target uint64, ordinal int32) {
	signed, bind := link>>63 != 0, link>>62&1 != 0
	switch {
	case bind && format == chainedARM64EUser24:
		return 0, int32(link & (1<<24 - 1))
	case bind:
		return 0, int32(link & (1<<16 - 1))
	case signed:
		return t.base + link&(1<<32-1), -1
	}
	target = link & (1<<43 - 1)
	if format != chainedARM64E && format != chainedARM64EFirmware {
		target += t.base
	}
	return target, -1
}

// importName returns the name of an imported symbol, "" if it is unreadable.
func (t *chained) importName(i uint32) string {
	sizes := map[uint32]uint64{importPlain: 4, importAddend: 8, importAddend64: 16}
	size := sizes[t.importFormat]
	if i >= t.count || size == 0 || t.compressedNames {
		return ""
	}
	var b [8]byte
	if !t.file.readChainedAt(b[:min(size, 8)], t.imports+uint64(i)*size) {
		return ""
	}
	at := uint64(t.file.order.Uint32(b[:]) >> 9) // the bits above are library and weak
	if t.importFormat == importAddend64 {
		at = t.file.order.Uint64(b[:]) >> 32
	}
	return t.name(t.names + at)
}

// name reads the string at an offset in the data.
func (t *chained) name(at uint64) string {
	if at >= t.file.chained.size {
		return ""
	}
	b := make([]byte, min(maxImport, t.file.chained.size-at))
	if !t.file.cost.take(uint64(len(b))) || !t.file.readChainedAt(b, at) {
		return ""
	}
	return cString(b)
}
