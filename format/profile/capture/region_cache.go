package capture

import (
	"slices"

	"stacksnap/task"
)

// maxSpans bounds how many spans are remembered. Beyond that, addresses are looked up again.
const maxSpans = 1 << 14

// regionCache has the regions that were looked up one by one, for a process whose regions are
// not listed. Its contents are used until a new memory map is read.
type regionCache struct {
	loader task.LoaderReader
	spans  []span // in order, none overlapping another
	codes  int    // number of spans with code, including forgotten ones
}

// span is a region, or a gap between two.
type span struct {
	start, end task.Addr
	prot       task.Prot
}

func (s *span) hasCode() bool { return s.prot&task.Execute != 0 }

// askedMemoryMap returns a memory map that looks up each region when it is needed. It makes one
// call at once, to see whether the process still answers.
func askedMemoryMap(l task.LoaderReader) memoryMap {
	a := &regionCache{loader: l}
	if _, found, err := l.RegionAt(0); err != nil || !found {
		return memoryMap{cache: a}
	}
	return memoryMap{cache: a, stamp: 1, files: 1}
}

// executable reports whether code may be at a.
func (k *regionCache) executable(a task.Addr) bool {
	i, found := k.find(a)
	if found {
		return k.spans[i].hasCode()
	}
	r, isThere, err := k.loader.RegionAt(a)
	if err != nil {
		return false
	}
	s := span{start: a, end: ^task.Addr(0)}
	switch {
	case isThere && r.Start <= a && a < r.End:
		s = span{start: r.Start, end: r.End, prot: r.Prot}
	case isThere && r.Start > a:
		s.end = r.Start
	}
	k.remember(i, s)
	return s.hasCode()
}

// find returns the index of the span that contains a, or where it would be.
func (k *regionCache) find(a task.Addr) (int, bool) {
	return slices.BinarySearchFunc(k.spans, a, func(s span, a task.Addr) int {
		switch {
		case s.end <= a:
			return -1
		case s.start > a:
			return 1
		}
		return 0
	})
}

// remember adds a span before the one of index i. If it overlaps others, because the map has
// changed meanwhile, the others stay and the rest of it is added.
func (k *regionCache) remember(i int, s span) {
	if s.start == s.end {
		return
	}
	if len(k.spans) == maxSpans {
		k.spans, i = k.spans[:0], 0
	}
	if i > 0 {
		s.start = max(s.start, k.spans[i-1].end)
	}
	if i < len(k.spans) {
		s.end = min(s.end, k.spans[i].start)
	}
	if s.hasCode() {
		k.codes++
	}
	k.spans = slices.Insert(k.spans, i, s)
}

// code lists the known regions with code.
func (k *regionCache) code() (regions []task.Region) {
	for i := range k.spans {
		if s := &k.spans[i]; s.hasCode() {
			regions = append(regions, task.Region{Start: s.start, End: s.end, Prot: s.prot})
		}
	}
	return regions
}

func (k *regionCache) onlyCode() []span {
	return slices.DeleteFunc(slices.Clone(k.spans), func(s span) bool { return !s.hasCode() })
}

// known counts the regions with code that are known.
func (l memoryMap) known() int {
	if l.cache == nil {
		return len(l.regions)
	}
	return l.cache.codes
}
