package elf

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"testing"

	"stacksnap/images/object"
)

// codeVM is code at 0x1000.
type codeVM []byte

func (c codeVM) readVM(p []byte, vmaddr uint64) (int, error) {
	if vmaddr < 0x1000 || vmaddr >= 0x1000+uint64(len(c)) {
		return 0, io.ErrUnexpectedEOF
	}
	return copy(p, c[vmaddr-0x1000:]), nil
}

// framesAt is the index of functions that start and end so.
func framesAt(extents ...[2]uint64) *frameIndex {
	const eh, hdr = 0x9000, 0x8000
	x := &frameIndex{base: hdr, frames: object.Section{VMAddr: eh}}
	le := binary.LittleEndian
	for _, e := range extents {
		fde := uint64(len(x.frames.Data))
		x.table = le.AppendUint32(le.AppendUint32(x.table, uint32(e[0]-hdr)), uint32(eh+fde-hdr))
		b := le.AppendUint64(x.frames.Data, 0)
		b = le.AppendUint32(b, uint32(e[0]-(eh+fde+8)))
		x.frames.Data = le.AppendUint32(b, uint32(e[1]-e[0]))
	}
	return x
}

// A symbol without a size names no code that may be another's.
func TestOwns(t *testing.T) {
	code := make(codeVM, 0x100)
	copy(code, []byte{0x85, 0xc0, 0x74, 0x02, 0xff, 0xc0, 0xc3}) // test; je 6; inc; 6: ret
	none := framesAt()
	for _, tt := range []struct {
		name        string
		frames      *frameIndex
		whole       bool
		start, size uint64
		vmaddr      uint64
		want        bool
	}{
		{"its size", none, false, 0x1000, 0x80, 0x1040, true},
		{"its first instruction", none, false, 0x1000, 0, 0x1000, true},
		{"what is reached", none, false, 0x1000, 0, 0x1006, true},
		{"what is not, other symbols being gone", none, false, 0x1000, 0, 0x1007, false},
		{"what is not, with all symbols", none, true, 0x1000, 0, 0x1007, true},
		{"a described function behind", framesAt([2]uint64{0x1004, 0x1010}), true, 0x1000, 0, 0x1005, false},
		{"behind one", framesAt([2]uint64{0x1004, 0x1006}), true, 0x1000, 0, 0x1006, false},
		{"its own description", framesAt([2]uint64{0x1000, 0x1040}), false, 0x1000, 0, 0x1020, true},
		{"within a description", framesAt([2]uint64{0x0ff0, 0x1040}), false, 0x1000, 0, 0x1020, true},
		{"behind its description", framesAt([2]uint64{0x1000, 0x1004}), true, 0x1000, 0, 0x1006, false},
		{"a described function far behind", framesAt([2]uint64{0x1080, 0x1090}), false, 0x1000, 0, 0x1006, true},
	} {
		f := &File{elf: &elf.File{FileHeader: elf.FileHeader{Machine: elf.EM_X86_64, Class: elf.ELFCLASS64, Data: elf.ELFDATA2LSB}}, vm: code, whole: tt.whole}
		f.frames = func() *frameIndex { return tt.frames }
		if got := f.owns(tt.start, tt.size, tt.vmaddr); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// Where extents cannot be read, a function still begins where the index says.
func TestOwnsWithoutExtents(t *testing.T) {
	x := framesAt([2]uint64{0x1004, 0x1010})
	x.frames.Data = nil
	f := &File{whole: true, frames: func() *frameIndex { return x }}
	if f.owns(0x1000, 0, 0x1004) || !f.owns(0x1000, 0, 0x1003) {
		t.Error("a symbol reaches into the next function")
	}
}

// The extents in the index of a real library are those of its symbols.
func TestFrameIndexOfALibrary(t *testing.T) {
	f := openFile(t, systemFile(t, "/lib/*/libc.so.6", "/lib64/libc.so.6"))
	defer f.Close()
	dynamic, err := f.symbolSection(elf.SHT_DYNSYM)
	if err != nil || dynamic == nil {
		t.Fatal("no .dynsym: ", err)
	}
	functions, same := 0, 0
	for i := range dynamic.len() {
		s := dynamic.at(i)
		if !f.isFunction(dynamic, &s) || s.size == 0 {
			continue
		}
		functions++
		if lo, hi, ok := f.frames().function(s.value + s.size/2); ok && lo == s.value && hi == s.value+s.size {
			same++
		}
	}
	if functions == 0 || same*10 < functions*9 {
		t.Errorf("%d of %d functions have the extent that call frame information tells", same, functions)
	}
}
