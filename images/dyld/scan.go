package dyld

import (
	"encoding/binary"
	"fmt"

	"stacksnap/images/macho"
	"stacksnap/task"
)

// maxRegions bounds how many mappings are looked at.
const maxRegions = 1 << 16

// scanRegions adds the program and dyld where they are mapped, for a process of
// which dyld has no list: before dyld has run, or where it cannot be found.
// libdyld's makeSuspended does the same.
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
		// Protections may be unknown: 0 is looked at, too.
		if r.Prot != 0 && r.Prot&task.Execute == 0 || b.seen[r.Start] {
			continue
		}
		switch headerType(b.process.Memory(), r.Start) {
		case macho.Execute, macho.Dylinker:
			b.add(r.Start, b.pathOf(r), nil)
		}
	}
}

// pathOf returns the path of a region, for which some processes have to be asked.
func (b *builder) pathOf(r task.Region) string {
	if l := b.process.Capabilities().Loader; l != nil && r.Path == "" {
		return l.PathAt(r.Start)
	}
	return r.Path
}

// headerType returns the file type of the Mach-O header at a, 0 when there is
// none.
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
