package capture

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"stacksnap/images"
	"stacksnap/task"
)

// layout is where a process has executable memory.
type layout struct {
	stamp uint64 // equal for equal layouts; 0 when it could not be read
	code  []images.Range
}

// readLayout lists the executable mappings.
func readLayout(p task.Process) layout {
	var l layout
	h := fnv.New64a()
	for r, err := range p.Regions() {
		if err != nil {
			continue
		}
		if r.Prot&task.Execute == 0 {
			continue
		}
		l.code = append(l.code, images.Range{Start: r.Start, End: r.End, Prot: r.Prot})
		_ = binary.Write(h, binary.LittleEndian, []uint64{uint64(r.Start), uint64(r.End), r.Offset, r.Dev, r.Inode})
		_, _ = h.Write([]byte(r.Path))
	}
	if len(l.code) > 0 {
		l.stamp = max(1, h.Sum64())
	}
	return l
}

// executable tells whether code may be at a.
func (l layout) executable(a task.Addr) bool {
	i, found := slices.BinarySearchFunc(l.code, a, func(r images.Range, a task.Addr) int {
		switch {
		case r.Start < a:
			return -1
		case r.Start > a:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	return i >= 0 && a < l.code[i].End
}
