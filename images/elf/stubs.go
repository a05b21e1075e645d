package elf

import (
	"debug/elf"
	"encoding/binary"
	"slices"
	"strings"

	"stacksnap/images/object"
	"stacksnap/task"
)

const (
	maxStubBytes = 64 << 20 // bytes read of all stubs and relocations together
	stubStep     = 8        // alignment of stubs within their section
	stubSize     = 24       // of the longest; others end where the next one starts
)

// readStubs names the entries of the procedure linkage table by the symbols that they
// jump to, as gdb does. Each stub loads its target from a slot that a relocation
// fills.
func (f *File) readStubs() *object.Table {
	dynamic, _ := f.symbolSection(elf.SHT_DYNSYM)
	slots, slotOf := f.slots(dynamic), f.stubDecoder()
	var entries []object.Entry
	f.eachData(isStubs, func(s *elf.Section, code []byte) {
		area, ok := f.area(s.Addr)
		if !ok || len(slots) == 0 {
			return
		}
		for at := 0; at < len(code); at += stubStep {
			vmaddr := s.Addr + uint64(at)
			if name, ok := slots[slotOf(code[at:], vmaddr)]; ok {
				entries = append(entries, object.Entry{VMAddr: vmaddr, Size: stubSize, Name: name, Section: area})
			}
		}
	})
	return object.NewTable(entries, func(name uint32) string { return dynamic.name(name) + "@plt" })
}

func isStubs(s *elf.Section) bool {
	return s.Type == elf.SHT_PROGBITS && strings.HasPrefix(s.Name, ".plt")
}

// inStubs reports whether vmaddr is in a section of stubs. Naming stubs reads all
// relocations, which are megabytes in a large library.
func (f *File) inStubs(vmaddr uint64) bool {
	return slices.ContainsFunc(f.elf.Sections, func(s *elf.Section) bool {
		return isStubs(s) && vmaddr-s.Addr < s.Size
	})
}

func isRelocations(s *elf.Section) bool {
	return s.Flags&elf.SHF_ALLOC != 0 && (s.Type == elf.SHT_RELA || s.Type == elf.SHT_REL)
}

// eachData yields the wanted sections, up to maxStubBytes.
func (f *File) eachData(want func(*elf.Section) bool, yield func(*elf.Section, []byte)) {
	left := uint64(maxStubBytes)
	for _, s := range f.elf.Sections {
		if !want(s) || s.FileSize > left {
			continue
		}
		left -= s.FileSize
		if b, err := f.data(s); err == nil {
			yield(s, b)
		}
	}
}

// slots returns the name offset of each slot's symbol, by the slot's vmaddr.
func (f *File) slots(dynamic *symbolTable) map[uint64]uint32 {
	if dynamic == nil {
		return nil
	}
	slots := make(map[uint64]uint32)
	f.eachData(isRelocations, func(s *elf.Section, b []byte) {
		f.eachSlot(b, s.Type, func(slot uint64, sym uint32) {
			if int(sym) < dynamic.len() && sym != 0 && slot != 0 {
				slots[slot] = dynamic.at(int(sym)).name
			}
		})
	})
	return slots
}

// slotTypes are the relocations JUMP_SLOT and GLOB_DAT, by machine (the psABIs).
var slotTypes = map[elf.Machine][2]uint32{
	elf.EM_X86_64:  {uint32(elf.R_X86_64_JMP_SLOT), uint32(elf.R_X86_64_GLOB_DAT)},
	elf.EM_386:     {uint32(elf.R_386_JMP_SLOT), uint32(elf.R_386_GLOB_DAT)},
	elf.EM_AARCH64: {uint32(elf.R_AARCH64_JUMP_SLOT), uint32(elf.R_AARCH64_GLOB_DAT)},
}

// eachSlot calls yield for the relocations that fill slots: r_offset, r_info, and
// with SHT_RELA r_addend, a word each.
func (f *File) eachSlot(b []byte, kind elf.SectionType, yield func(slot uint64, sym uint32)) {
	word, shift := 8, 32
	if !f.is64() {
		word, shift = 4, 8
	}
	size := 2 * word
	if kind == elf.SHT_RELA {
		size = 3 * word
	}
	types := slotTypes[f.elf.Machine]
	for ; len(b) >= size; b = b[size:] {
		info := uintN(b[word:], word)
		if slices.Contains(types[:], uint32(info&(1<<shift-1))) {
			yield(uintN(b, word), uint32(info>>shift))
		}
	}
}

// stubDecoder returns a function that returns the slot from which the stub at a
// vmaddr loads its target, 0 if there is no stub.
func (f *File) stubDecoder() func(code []byte, vmaddr uint64) uint64 {
	switch f.Arch() {
	case task.AMD64:
		return stubSlotAMD64
	case task.ARM64:
		return stubSlotARM64
	case task.I386:
		got := f.gotBase()
		return func(code []byte, _ uint64) uint64 { return stubSlotI386(code, got) }
	}
	return func([]byte, uint64) uint64 { return 0 }
}

// stubSlotAMD64 decodes [endbr64] [bnd] jmp *slot(%rip).
func stubSlotAMD64(b []byte, vmaddr uint64) uint64 {
	n := 0
	if len(b) >= 4 && binary.LittleEndian.Uint32(b) == 0xfa1e0ff3 {
		n = 4
	}
	if len(b) > n && b[n] == 0xf2 {
		n++
	}
	if len(b) < n+6 || b[n] != 0xff || b[n+1] != 0x25 {
		return 0
	}
	disp := int64(int32(binary.LittleEndian.Uint32(b[n+2:])))
	return vmaddr + uint64(n) + 6 + uint64(disp)
}

// stubSlotI386 decodes [endbr32] jmp *slot, or jmp *slot−got(%ebx).
func stubSlotI386(b []byte, got uint64) uint64 {
	if len(b) >= 4 && binary.LittleEndian.Uint32(b) == 0xfb1e0ff3 {
		b = b[4:]
	}
	if len(b) < 6 || b[0] != 0xff {
		return 0
	}
	v := binary.LittleEndian.Uint32(b[2:])
	switch b[1] {
	case 0x25:
		return uint64(v)
	case 0xa3:
		return uint64(uint32(got) + v)
	}
	return 0
}

// gotBase returns the value of %ebx in position-independent i386 code.
func (f *File) gotBase() uint64 {
	for _, name := range []string{".got.plt", ".got"} {
		if s := f.elf.Section(name); s != nil {
			return s.Addr
		}
	}
	return 0
}

// stubSlotARM64 decodes [bti c]; adrp x16, page; ldr x17, [x16, #offset].
func stubSlotARM64(b []byte, vmaddr uint64) uint64 {
	if len(b) >= 4 && binary.LittleEndian.Uint32(b) == 0xd503245f {
		b, vmaddr = b[4:], vmaddr+4
	}
	if len(b) < 8 {
		return 0
	}
	adrp, ldr := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	if adrp&0x9f00001f != 0x90000010 || ldr&0xffc003ff != 0xf9400211 {
		return 0
	}
	pages := int64(int32(adrp>>5&0x7ffff<<2|adrp>>29&3)<<11) >> 11
	return vmaddr&^0xfff + uint64(pages<<12) + uint64(ldr>>10&0xfff<<3)
}
