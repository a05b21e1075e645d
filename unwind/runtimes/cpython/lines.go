package cpython

// lineFormat is how a code object keeps the lines of its instructions.
type lineFormat uint8

const (
	oldLines   lineFormat = iota // co_lnotab, to 3.9 (Objects/lnotab_notes.txt)
	deltaLines                   // co_linetable of 3.10 (PEP 626)
	locations                    // co_linetable from 3.11 on (InternalDocs/code_objects.md)
)

// lineAt returns the line of the instruction at a byte offset, 0 if it has none. An
// offset before the first instruction has the first line.
func (f lineFormat) lineAt(table []byte, first, offset int) int {
	if offset < 0 {
		return first
	}
	switch f {
	case oldLines:
		return oldLine(table, first, offset)
	case deltaLines:
		return deltaLine(table, first, offset)
	default:
		return locationLine(table, first, offset)
	}
}

// oldLine reads pairs of how far the offset and the line move.
func oldLine(table []byte, line, offset int) int {
	at := 0
	for ; len(table) >= 2; table = table[2:] {
		if at += int(table[0]); at > offset {
			break
		}
		line += int(int8(table[1]))
	}
	return max(line, 0)
}

// noLine is the line delta of instructions without a line.
const noLine = -128

// deltaLine reads pairs of a length in bytes and the change of the line before it.
func deltaLine(table []byte, line, offset int) int {
	end := 0
	for ; len(table) >= 2; table = table[2:] {
		delta := int(int8(table[1]))
		if delta != noLine {
			line += delta
		}
		if end += int(table[0]); end > offset {
			if delta == noLine {
				return 0
			}
			return max(line, 0)
		}
	}
	return 0
}

// Kinds of locations, bits 3 to 6 of their first byte. The others have columns, and are
// on the line of the location before.
const (
	oneLine0  = 10 // to 12: on the same line, one or two further
	noColumns = 13
	longForm  = 14
	noPlace   = 15
)

// codeUnit is the size of an instruction without its caches, in bytes.
const codeUnit = 2

// locationLine reads locations. Bit 7 is set in the first byte of each, and in no other.
func locationLine(table []byte, line, offset int) int {
	end := 0
	for i := 0; i < len(table); {
		head := table[i]
		kind := head >> 3 & 15
		line += locationDelta(kind, table[i+1:])
		if end += (int(head&7) + 1) * codeUnit; end > offset {
			if kind == noPlace {
				return 0
			}
			return max(line, 0)
		}
		for i++; i < len(table) && table[i]&0x80 == 0; i++ {
		}
	}
	return 0
}

func locationDelta(kind byte, rest []byte) int {
	switch kind {
	case oneLine0, oneLine0 + 1, oneLine0 + 2:
		return int(kind) - oneLine0
	case noColumns, longForm:
		return signedVarint(rest)
	}
	return 0
}

// signedVarint decodes groups of six bits, the lowest first; bit 6 is set in all but the
// last. The lowest bit of all is the sign.
func signedVarint(b []byte) int {
	v, shift := 0, 0
	for _, c := range b {
		v |= int(c&0x3f) << shift
		if shift += 6; c&0x40 == 0 || shift > 30 {
			break
		}
	}
	if v&1 != 0 {
		return -(v >> 1)
	}
	return v >> 1
}
