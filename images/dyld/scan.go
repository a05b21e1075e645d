package dyld

import (
	"encoding/binary"
	"fmt"

	"stacksnap/images/macho"
	"stacksnap/task"
)

// maxRegions is how many mappings are examined.
const maxRegions = 1 << 16

// scanRegions finds the program and dyld among the mappings if dyld has no list:
// before dyld has run, or if the list cannot be found. libdyld's makeSuspended does
// the same.
func (b *builder) scanRegions() {
	n := 0
	for r, err := range b.process.Regions() {
		if err != nil {
			b.errs = append(b.errs, fmt.Errorf("regions: %w", err))
			return
		}
		if n++; n > maxRegions {
			return
		}
		// Protections may be unknown, so 0 is examined too.
		if r.Prot != 0 && r.Prot&task.Execute == 0 || b.seen[r.Start] {
			continue
		}
		switch headerType(b.process.Memory(), r.Start) {
		case macho.Execute, macho.Dylinker:
			b.add(r.Start, b.pathOf(r), nil)
		}
	}
}

// pathOf returns the path of a region. Some systems report it only on request.
func (b *builder) pathOf(r task.Region) string {
	if r.Path != "" {
		return r.Path
	}
	if l := b.process.Capabilities().Loader; l != nil {
		return l.PathAt(r.Start)
	}
	return ""
}

// headerType returns the file type in the Mach-O header at a, 0 if there is none.
func headerType(mem task.Memory, a task.Addr) macho.FileType {
	var h [16]byte // magic, cputype, cpusubtype, filetype
	if task.ReadFull(mem, h[:], a) != nil {
		return 0
	}
	if magic := binary.LittleEndian.Uint32(h[:]); magic != 0xfeedface && magic != 0xfeedfacf {
		return 0
	}
	return macho.FileType(binary.LittleEndian.Uint32(h[12:]))
}
