package macho

import (
	"cmp"
	"slices"
	"sort"
)

// The LC_DATA_IN_CODE of a file: struct data_in_code_entry of <mach-o/loader.h>, an
// offset of 4 bytes from the header, a length of 2, and a kind of 2, which is not
// used.
const (
	dataEntry      = 8
	maxDataEntries = 1 << 20
	dataBytes      = 16 // cost of a range kept
)

// vmRange is the range [start, end) of vmaddrs.
type vmRange struct{ start, end uint64 }

// readDataInCode returns the ranges of data between instructions, sorted; nil if
// there are none or they are unreadable.
func (f *File) readDataInCode() []vmRange {
	base, ok := f.TextVMAddr()
	n := f.dataInCode.size / dataEntry
	if !ok || n == 0 || n > maxDataEntries {
		return nil
	}
	b, err := f.cost.readKept(n*dataEntry, func(p []byte, pos uint64) (int, error) {
		return f.src.readLinkEdit(p, f.dataInCode.offset+pos)
	})
	if err != nil {
		return nil
	}
	defer f.cost.drop(uint64(len(b)))
	if !f.cost.keep(n * dataBytes) {
		return nil
	}
	ranges := make([]vmRange, n)
	for i, c := 0, (cursor{data: b, order: f.order}); i < len(ranges); i++ {
		start := base + uint64(c.u32())
		ranges[i] = vmRange{start, start + uint64(f.order.Uint16(c.bytes(4)))}
		if start < base || ranges[i].end < start { // past the end of the address space
			f.cost.drop(n * dataBytes)
			return nil
		}
	}
	// Linkers sort them; an unsorted list is still valid.
	slices.SortFunc(ranges, func(a, b vmRange) int { return cmp.Compare(a.start, b.start) })
	return ranges
}

// DataInCode implements [object.DataReporter] by LC_DATA_IN_CODE.
func (f *File) DataInCode(vmaddr uint64) (start, end uint64, ok bool) {
	ranges := f.dataRanges()
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i].start > vmaddr })
	if i > 0 && ranges[i-1].end > vmaddr {
		i--
	}
	if i == len(ranges) {
		return 0, 0, false
	}
	return ranges[i].start, ranges[i].end, true
}
