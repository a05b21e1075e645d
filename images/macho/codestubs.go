package macho

import (
	"encoding/binary"
	"strings"

	"stacksnap/images/objc"
	"stacksnap/images/object"
	"stacksnap/task"
)

// Sections of stubs that no table describes; their instructions show what they are
// for.

const maxStub = 32 // bytes of a stub that sends a message

// selectorStub names the stub in __objc_stubs that contains vmaddr as linkers do
// where they give it a symbol: objc_msgSend$count. It loads a selector and jumps.
func (f *File) selectorStub(vmaddr uint64, i int) (object.Symbol, bool) {
	s := &f.sections[i]
	var start, selector uint64
	switch f.Arch() {
	case task.ARM64:
		start, selector = f.selectorStubARM64(s, vmaddr)
	case task.AMD64:
		start, selector = f.selectorStubAMD64(s, vmaddr)
	}
	if selector == 0 {
		return object.Symbol{}, false
	}
	name, ok := objc.ReadName(f.readSome, selector)
	return object.Symbol{Name: "objc_msgSend$" + name, VMAddr: start}, ok
}

// selectorStubARM64 searches at and before vmaddr for the stub's first two
// instructions:
//
//	adrp x1, page
//	ldr x1, [x1, offset]
//
// In the shared cache the second computes the selector's address: add x1, x1, offset.
func (f *File) selectorStubARM64(s *Section, vmaddr uint64) (start, selector uint64) {
	for start = vmaddr &^ 3; start >= s.VMAddr && vmaddr-start < maxStub; start -= 4 {
		var b [8]byte
		if n := f.readSome(b[:], start); n < len(b) {
			return 0, 0
		}
		adrp, second := binary.LittleEndian.Uint32(b[:]), binary.LittleEndian.Uint32(b[4:])
		if adrp&0x9f00001f != 0x90000001 {
			continue
		}
		page := start&^0xfff + uint64(int64(int32(adrp<<8)>>13<<2|int32(adrp>>29&3))<<12)
		offset := uint64(second >> 10 & 0xfff)
		switch second & 0xffc003ff {
		case 0xf9400021:
			return start, f.pointsTo(page + 8*offset)
		case 0x91000021:
			return start, page + offset
		}
		return 0, 0
	}
	return 0, 0
}

// selectorStubAMD64 decodes the stub that contains vmaddr:
//
//	mov rsi, [rip + offset]
//	jmp [rip + offset]
//
// Stubs are adjacent, or aligned.
func (f *File) selectorStubAMD64(s *Section, vmaddr uint64) (start, selector uint64) {
	const bare, aligned, load = 13, 16, 7 // bytes
	size := uint64(bare)
	if !f.loadsSelector(s.VMAddr+bare) && s.Size > bare {
		size = aligned
	}
	start = vmaddr - (vmaddr-s.VMAddr)%size
	if !f.loadsSelector(start) {
		return 0, 0
	}
	var b [4]byte
	if n := f.readSome(b[:], start+3); n < len(b) {
		return 0, 0
	}
	return start, f.pointsTo(start + load + uint64(int64(int32(binary.LittleEndian.Uint32(b[:])))))
}

// loadsSelector reports whether the x86-64 instruction at vmaddr loads rsi
// rip-relative.
func (f *File) loadsSelector(vmaddr uint64) bool {
	var b [3]byte
	return f.readSome(b[:], vmaddr) == len(b) && b == [3]byte{0x48, 0x8b, 0x35}
}

// stubHelper names the part of __stub_helper that contains vmaddr. It makes dyld bind
// a symbol on the first call of its stub, by its position in the list of lazy binds.
// The code before these parts has no name.
func (f *File) stubHelper(vmaddr uint64, i int) (object.Symbol, bool) {
	s := &f.sections[i]
	first, size, operand := s.VMAddr+24, uint64(12), uint64(8) // ldr w16, operand; b
	if f.Arch() == task.AMD64 {
		first, size, operand = s.VMAddr+16, 10, 1 // push operand; jmp; two bytes more from some linkers
		if f.byteAt(first+size) != f.byteAt(first) {
			size = 12
		}
	} else if f.Arch() != task.ARM64 {
		return object.Symbol{}, false
	}
	if vmaddr < first {
		return object.Symbol{}, false
	}
	start := vmaddr - (vmaddr-first)%size
	var b [4]byte
	if n := f.readSome(b[:], start+operand); n < len(b) {
		return object.Symbol{}, false
	}
	name := f.lazySymbol(uint64(binary.LittleEndian.Uint32(b[:])))
	if name == "" {
		return object.Symbol{}, false
	}
	return object.Symbol{Name: "stub helper for " + strings.TrimPrefix(name, "_"), VMAddr: start, Size: size}, true
}

func (f *File) byteAt(vmaddr uint64) byte {
	var b [1]byte
	f.readSome(b[:], vmaddr)
	return b[0]
}

// lazySymbol returns the symbol at a position in the list of lazy binds, "" if there
// is none.
func (f *File) lazySymbol(at uint64) (symbol string) {
	const room = 32 // for the opcodes around a name
	if at >= f.lazyBinds.size || f.lazyBinds.size-at < 2 {
		return ""
	}
	b := make([]byte, min(maxImport+room, f.lazyBinds.size-at))
	if !readFull(b, f.lazyBinds.offset+at, f.src.readLinkEdit) {
		return ""
	}
	(&binder{file: f, rest: b, bound: func(_ uint64, name string) bool {
		symbol = name
		return false
	}}).run()
	return symbol
}
