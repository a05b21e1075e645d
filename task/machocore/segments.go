package machocore

import (
	"encoding/binary"
	"iter"

	"stacksnap/task"
	"stacksnap/task/internal/saved"
)

// parseSegment decodes the body of LC_SEGMENT (segment_command, addresses of 4 bytes)
// or LC_SEGMENT_64 (segment_command_64, of 8), starting with segname.
func parseSegment(body []byte, pointer int) (s saved.Segment, fileSize uint64, ok bool) {
	const name = 16
	if len(body) < name+4*pointer+8 {
		return s, 0, false
	}
	var f [4]uint64 // vmaddr, vmsize, fileoff, filesize
	for i := range f {
		f[i] = word(body[name+i*pointer:], pointer)
	}
	prot := binary.LittleEndian.Uint32(body[name+4*pointer+4:]) // initprot, after maxprot
	s = saved.Segment{
		Start: task.Addr(f[0]), End: task.Addr(f[0] + f[1]), Offset: int64(f[2]),
		Kept: min(f[3], f[1]), Prot: task.Prot(prot & 7),
	}
	return s, s.Kept, s.End > s.Start && s.Offset >= 0
}

// word reads a little-endian number of 4 or 8 bytes.
func word(b []byte, size int) uint64 {
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// Regions returns the saved ranges, including those whose bytes the core lacks.
func (p *Process) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		for _, s := range p.memory.Segments {
			if !yield(task.Region{Start: s.Start, End: s.End, Prot: s.Prot}, nil) {
				return
			}
		}
	}
}
