package golang

import (
	"encoding/binary"
	"slices"

	"stacksnap/images/code/x86"
	"stacksnap/images/object"
	"stacksnap/task"
)

// maxFunction is how much is read of the code of a function, in bytes.
const maxFunction = 16 << 10

// references returns the addresses of data that the code of a function names, in the order of the code.
func (r *Runtime) references(function object.Symbol) (all []task.Addr) {
	code := make([]byte, min(function.Size, maxFunction))
	start := r.image.Addr(function.VMAddr)
	if function.Name == "" || task.ReadFull(r.memory, code, start) != nil {
		return nil
	}
	each := eachReferenceAMD64
	if r.arch == task.ARM64 {
		each = eachReferenceARM64
	}
	each(code, start, func(a task.Addr) {
		if !slices.Contains(all, a) {
			all = append(all, a)
		}
	})
	return all
}

// eachReferenceAMD64 calls yield with the operands that are relative to rip.
func eachReferenceAMD64(code []byte, start task.Addr, yield func(task.Addr)) {
	const relative, mask = 0x05, 0xc7 // ModRM: mod 0, rm 5
	var i x86.Inst
	for at := uint32(0); i.Decode(code, at); {
		at += i.Size
		if i.ModRM&mask == relative {
			yield(start + task.Addr(at) + task.Addr(int64(i.Disp)))
		}
	}
}

// eachReferenceARM64 calls yield with what adrp and the instruction after it make together.
func eachReferenceARM64(code []byte, start task.Addr, yield func(task.Addr)) {
	for at := 0; at+8 <= len(code); at += 4 {
		adrp, next := binary.LittleEndian.Uint32(code[at:]), binary.LittleEndian.Uint32(code[at+4:])
		if adrp&0x9f000000 != 0x90000000 || next>>5&31 != adrp&31 {
			continue
		}
		pages := int64(int32(adrp<<8)>>13)<<2 | int64(adrp>>29&3)
		page := (start+task.Addr(at))&^0xfff + task.Addr(pages<<12)
		offset := task.Addr(next >> 10 & 0xfff)
		switch {
		case next&0xffc00000 == 0x91000000: // add
			yield(page + offset)
		case next&0x3b000000 == 0x39000000: // ldr, str
			yield(page + offset<<(next>>30))
		}
	}
}
