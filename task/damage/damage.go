// Package damage damages valid files, to test the code that reads files.
package damage

import (
	"bytes"
	"math/rand/v2"
)

// Copy returns a copy of a valid file with some bytes changed, or with its end cut off.
func Copy(r *rand.Rand, good []byte) []byte {
	b := bytes.Clone(good)
	if r.IntN(4) == 0 {
		b = b[:r.IntN(len(b)+1)]
	}
	for range r.IntN(4) {
		if len(b) > 0 {
			b[r.IntN(len(b))] = [...]byte{0, 1, 0x7f, 0x80, 0xff, byte(r.Uint32())}[r.IntN(6)]
		}
	}
	return b
}

// Edit returns a copy of a valid file with edits applied, of four bytes each: a position (24
// bits, little-endian, modulo the size) and the new byte there. If the highest bit of the
// position is set, the file is cut off there instead. Fuzz tests use edits instead of files:
// they stay small, so that the fuzzer does not spend its time on minimizing interesting inputs.
func Edit(good, edits []byte) []byte {
	b := bytes.Clone(good)
	for ; len(edits) >= 4 && len(b) > 0; edits = edits[4:] {
		const cut = 1 << 23
		at := int(edits[0]) | int(edits[1])<<8 | int(edits[2])<<16
		if i := at &^ cut % len(b); at&cut != 0 {
			b = b[:i]
		} else {
			b[i] = edits[3]
		}
	}
	return b
}
