package machocore

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"

	"stacksnap/task"
)

// segment is one saved range of memory: [start, end), of which the first kept
// bytes are in the file at offset. What is not kept was in the target, but is
// not in the core.
type segment struct {
	start, end task.Addr
	offset     int64
	kept       uint64
	prot       task.Prot
}

// parseSegment reads the body of LC_SEGMENT (segment_command, addresses of 4
// bytes) or LC_SEGMENT_64 (segment_command_64, of 8), from segname on.
func parseSegment(body []byte, pointer int) (s segment, fileSize uint64, ok bool) {
	const name = 16
	if len(body) < name+4*pointer+8 {
		return s, 0, false
	}
	var f [4]uint64 // vmaddr, vmsize, fileoff, filesize
	for i := range f {
		f[i] = word(body[name+i*pointer:], pointer)
	}
	prot := binary.LittleEndian.Uint32(body[name+4*pointer+4:]) // initprot, after maxprot
	s = segment{start: task.Addr(f[0]), end: task.Addr(f[0] + f[1]), offset: int64(f[2]), prot: task.Prot(prot & 7)}
	s.kept = min(f[3], f[1])
	return s, s.kept, s.end > s.start && int64(f[2]) >= 0
}

// word reads a little-endian number of 4 or 8 bytes.
func word(b []byte, size int) uint64 {
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// clip takes away the bytes that lie beyond the end of the file, and returns
// how many those are.
func (s *segment) clip(size int64) (missing uint64) {
	room := uint64(max(size-s.offset, 0))
	if s.kept <= room {
		return 0
	}
	missing = s.kept - room
	s.kept = room
	return missing
}

// arrange sorts segments by address and makes them disjoint: where two claim
// the same addresses, the one that starts lower keeps them, and of two that
// start together the one that comes first in the file. It returns the number
// that overlapped, and the address of the first.
func arrange(all []segment) (kept []segment, overlaps int, first task.Addr) {
	slices.SortStableFunc(all, func(a, b segment) int { return cmp.Compare(a.start, b.start) })
	kept = all[:0]
	for _, s := range all {
		if n := len(kept); n > 0 && s.start < kept[n-1].end {
			if overlaps++; overlaps == 1 {
				first = s.start
			}
			if s.end <= kept[n-1].end {
				continue
			}
			s.dropBelow(kept[n-1].end)
		}
		kept = append(kept, s)
	}
	return kept, overlaps, first
}

// dropBelow gives up the part of a segment below a.
func (s *segment) dropBelow(a task.Addr) {
	d := uint64(a - s.start)
	s.start = a
	s.offset += int64(min(d, s.kept))
	s.kept -= min(d, s.kept)
}

// find returns the index of the segment that a is in, or, with false, of the
// first above a.
func find(all []segment, a task.Addr) (int, bool) {
	i, found := slices.BinarySearchFunc(all, a, func(s segment, a task.Addr) int { return cmp.Compare(s.start, a) })
	if found {
		return i, true
	}
	if i > 0 && a < all[i-1].end {
		return i - 1, true
	}
	return i, false
}

// Regions lists the saved ranges, among them those of which the core has the
// bounds and not the bytes.
func (p *Process) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		for _, s := range p.segments {
			if !yield(task.Region{Start: s.start, End: s.end, Prot: s.prot}, nil) {
				return
			}
		}
	}
}
