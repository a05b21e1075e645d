package elf

import (
	"encoding/binary"
)

// note is an entry of a PT_NOTE segment (gABI, "Note Section"): a record whose owner
// defines what its type means.
type note struct {
	owner string // without the terminating NUL
	kind  uint32
	desc  []byte
}

const (
	noteHeaderSize = 12       // namesz, descsz, type: 4 bytes each
	maxNotes       = 64 << 10 // bytes read of one PT_NOTE segment
	maxBuildID     = 64       // bytes; a SHA-512 is the longest that any linker makes
	gnuBuildID     = 3        // NT_GNU_BUILD_ID of owner "GNU" (elf.h)
	goBuildID      = 4        // of owner "Go" (cmd/internal/buildid)
)

// parseNotes calls yield for each complete note in b until it returns false. Names
// and descriptions are padded to align: 4, or 8 if the segment says so.
func parseNotes(b []byte, align uint64, yield func(note) bool) {
	if align != 8 {
		align = 4
	}
	for len(b) >= noteHeaderSize {
		name := uint64(binary.LittleEndian.Uint32(b))
		desc := uint64(binary.LittleEndian.Uint32(b[4:]))
		descAt := padded(noteHeaderSize+name, align)
		size := uint64(len(b))
		if descAt > size || desc > size-descAt {
			return
		}
		n := note{
			owner: trimNUL(b[noteHeaderSize : noteHeaderSize+name]),
			kind:  binary.LittleEndian.Uint32(b[8:]),
			desc:  b[descAt : descAt+desc : descAt+desc],
		}
		if !yield(n) {
			return
		}
		b = b[min(padded(descAt+desc, align), size):]
	}
}

func padded(n, align uint64) uint64 { return (n + align - 1) &^ (align - 1) }

func trimNUL(b []byte) string {
	if n := len(b); n > 0 && b[n-1] == 0 {
		b = b[:n-1]
	}
	return string(b)
}

// ids identify a file's contents.
type ids struct {
	gnu    []byte // the linker's build-id
	goTool []byte // the Go tool chain's build ID; such files may lack the other
}

// add adds the IDs in a note segment's bytes.
func (id *ids) add(b []byte, align uint64) {
	parseNotes(b, align, func(n note) bool {
		switch {
		case len(n.desc) == 0:
		case n.owner == "GNU" && n.kind == gnuBuildID && len(n.desc) <= maxBuildID && id.gnu == nil:
			id.gnu = append([]byte(nil), n.desc...)
		case n.owner == "Go" && n.kind == goBuildID && len(n.desc) <= 4*maxBuildID && id.goTool == nil:
			id.goTool = append([]byte(nil), n.desc...)
		}
		return true
	})
}
