package capture

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"slices"

	"stacksnap/images"
	"stacksnap/task"
)

// layout is where a process has executable memory.
type layout struct {
	stamp uint64 // equal for equal layouts; 0 when it could not be read
	files uint64 // the same of those that show a file: others come and go as code is compiled
	code  []images.Range
	maps  []task.Mapping // what each of code shows
	paths []string       // and the path of that file
}

// readLayout lists the executable mappings.
func readLayout(p task.Process) layout {
	var l layout
	h, files := fnv.New64a(), fnv.New64a()
	for r, err := range p.Regions() {
		if err != nil {
			continue
		}
		if r.Prot&task.Execute == 0 {
			continue
		}
		l.code = append(l.code, images.Range{Start: r.Start, End: r.End, Prot: r.Prot})
		l.maps, l.paths = append(l.maps, r.Mapping()), append(l.paths, r.Path)
		to := io.Writer(h)
		if r.Inode != 0 {
			to = io.MultiWriter(h, files)
		}
		_ = binary.Write(to, binary.LittleEndian, []uint64{uint64(r.Start), uint64(r.End), r.Offset, r.Dev, r.Inode})
		_, _ = io.WriteString(to, r.Path)
	}
	if len(l.code) > 0 {
		l.stamp, l.files = max(1, h.Sum64()), max(1, files.Sum64())
	}
	return l
}

// executable tells whether code may be at a.
func (l layout) executable(a task.Addr) bool { return l.find(a) >= 0 }

// find returns the index of the mapping that a is in, −1 when it is in none.
func (l layout) find(a task.Addr) int {
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
	if i < 0 || a >= l.code[i].End {
		return -1
	}
	return i
}
