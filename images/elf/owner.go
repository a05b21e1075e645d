package elf

import (
	"encoding/binary"

	"stacksnap/images/code"
	"stacksnap/images/object"
)

// owns reports whether the symbol at start, of size bytes, is the function that
// contains vmaddr, which is at or above start. A symbol without a size, common in
// assembly, extends up to the next function in call frame information. If the file
// has only exported symbols, it extends only as far as control flow from its start
// reaches, because unnamed functions may follow.
func (f *File) owns(start, size, vmaddr uint64) bool {
	if size != 0 || vmaddr == start {
		return true
	}
	frames := f.frames()
	if lo, hi, ok := frames.function(vmaddr); ok && vmaddr < hi {
		return lo <= start
	}
	if _, hi, ok := frames.function(start); ok && start < hi {
		return false // it ends below vmaddr
	}
	if next, ok := frames.next(start); ok && next <= vmaddr {
		return false
	}
	return f.whole || code.Reaches(f.Arch(), f.vm.readVM, start, vmaddr)
}

// frameIndex is the table of .eh_frame_hdr: the starts of the functions that call
// frame information describes.
type frameIndex struct {
	table  []byte // pairs of 32-bit offsets from base: of the function and of its FDE
	base   uint64
	frames object.Section // .eh_frame
}

// readFrameIndex reads the table in the encoding that linkers use (LSB Core, "DWARF
// Extensions"): eh_frame_ptr of 4 bytes, fde_count as udata4, a table of
// DW_EH_PE_datarel | sdata4. It is empty for any other.
func (f *File) readFrameIndex() *frameIndex {
	x := new(frameIndex)
	hdr, err := f.Section(object.EHFrameHdr)
	if b := hdr.Data; err == nil && len(b) >= 12 && b[0] == 1 && b[1]&0x0f == 0x0b && b[2] == 0x03 && b[3] == 0x3b {
		n := uint64(binary.LittleEndian.Uint32(b[8:]))
		x.base, x.table = hdr.VMAddr, b[12:]
		x.table = x.table[:8*min(n, uint64(len(x.table)/8))]
		x.frames, _ = f.Section(object.EHFrame)
	}
	return x
}

func (x *frameIndex) at(i int) uint64 {
	return x.base + uint64(int64(int32(binary.LittleEndian.Uint32(x.table[8*i:]))))
}

// above returns the index of the first function above vmaddr.
func (x *frameIndex) above(vmaddr uint64) int {
	lo, hi := 0, len(x.table)/8
	for lo < hi {
		if mid := (lo + hi) / 2; x.at(mid) <= vmaddr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// next returns the start of the first function above vmaddr.
func (x *frameIndex) next(vmaddr uint64) (uint64, bool) {
	i := x.above(vmaddr)
	if i == len(x.table)/8 {
		return 0, false
	}
	return x.at(i), true
}

// function returns the range of the last function at or below vmaddr, which may end
// below it. It reports false if the range is unreadable.
func (x *frameIndex) function(vmaddr uint64) (start, end uint64, ok bool) {
	i := x.above(vmaddr) - 1
	if i < 0 {
		return 0, 0, false
	}
	start = x.at(i)
	fde := x.base + uint64(int64(int32(binary.LittleEndian.Uint32(x.table[8*i+4:])))) - x.frames.VMAddr
	// length, CIE pointer, pc_begin and pc_range, of four bytes each; pc_begin is
	// relative to itself where the table's start agrees.
	const size = 16
	if n := uint64(len(x.frames.Data)); fde > n || n-fde < size {
		return 0, 0, false
	}
	b := x.frames.Data[fde:]
	begin := x.frames.VMAddr + fde + 8 + uint64(int64(int32(binary.LittleEndian.Uint32(b[8:]))))
	end = start + uint64(binary.LittleEndian.Uint32(b[12:]))
	return start, end, begin == start
}
