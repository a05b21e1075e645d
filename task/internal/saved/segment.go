package saved

import (
	"cmp"
	"slices"

	"stacksnap/task"
)

// Segment is a range of memory: [Start, End). Its first Kept bytes are in the file
// at Offset. The rest was in the target, but is not in the core.
type Segment struct {
	Start, End task.Addr
	Offset     int64
	Kept       uint64
	Prot       task.Prot
}

// Clip removes the bytes beyond the end of a file of that size, and returns their
// number.
func (s *Segment) Clip(size int64) (missing uint64) {
	room := uint64(max(size-s.Offset, 0))
	if s.Kept <= room {
		return 0
	}
	missing = s.Kept - room
	s.Kept = room
	return missing
}

// arrange sorts segments by address and removes overlaps: the segment that starts
// lower keeps the addresses, and of two that start together the first in the file. It
// returns the number that overlapped, and the address of the first.
func arrange(all []Segment) (kept []Segment, overlaps int, first task.Addr) {
	slices.SortStableFunc(all, func(a, b Segment) int { return cmp.Compare(a.Start, b.Start) })
	kept = all[:0]
	for _, s := range all {
		if n := len(kept); n > 0 && s.Start < kept[n-1].End {
			if overlaps++; overlaps == 1 {
				first = s.Start
			}
			if s.End <= kept[n-1].End {
				continue
			}
			s.dropBelow(kept[n-1].End)
		}
		kept = append(kept, s)
	}
	return kept, overlaps, first
}

// dropBelow removes the part of a segment below a.
func (s *Segment) dropBelow(a task.Addr) {
	d := uint64(a - s.Start)
	s.Start = a
	s.Offset += int64(min(d, s.Kept))
	s.Kept -= min(d, s.Kept)
}
