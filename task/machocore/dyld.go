package machocore

import (
	"encoding/binary"
	"iter"

	"stacksnap/task"
)

// A core does not say where dyld describes the loaded images. It is found as in lldb,
// by dyld's Mach-O header in the saved memory. The structure is dyld's section
// __all_image_info, in __DATA or __DATA_DIRTY (dyld/ExternallyViewableState.cpp; xnu
// bsd/kern/mach_loader.c finds it so).

const (
	fileExecute  = 2 // MH_EXECUTE
	fileDylinker = 7 // MH_DYLINKER
	scanStep     = 4 << 10
	maxScanned   = 1 << 16 // pages of code examined for a header
	maxDylds     = 16      // examined
	maxDyldCmds  = 1 << 10
	maxDyldCmd   = 16 << 10 // bytes of one load command
)

// findLoaderInfo returns the address of the dyld_all_image_infos, 0 if there is none.
// A process may have two dylds, where one has handed over to the other, in the
// shared cache; it returns that of the one that lists images.
func (p *Process) findLoaderInfo() task.Addr {
	if told := p.notes.loaderInfo; told != 0 {
		if _, isHeader := p.memoryHeader(told); !isHeader && p.listsImages(told) {
			return told
		}
	}
	var best task.Addr
	left := maxDylds
	for a := range p.dyldPlaces() {
		h, ok := p.memoryHeader(a)
		if !ok || h.fileType != fileDylinker {
			continue
		}
		if infos, ok := p.infosOf(a, h); ok && p.listsImages(infos) {
			return infos
		} else if ok && best == 0 {
			best = infos
		}
		if left--; left == 0 {
			break
		}
	}
	return best
}

// dyldPlaces yields where a dyld may be: where the notes say, at the start of a
// segment, in the shared cache, and last on every page of code, up to a limit.
func (p *Process) dyldPlaces() iter.Seq[task.Addr] {
	return func(yield func(task.Addr) bool) {
		told := []task.Addr{p.notes.loaderInfo, p.notes.mainBinary}
		for _, im := range p.notes.images {
			told = append(told, im.Load)
		}
		for _, a := range told {
			if a != 0 && !yield(a) {
				return
			}
		}
		for _, s := range p.memory.Segments {
			if s.Kept == 0 {
				continue
			}
			if dyld := p.cacheDyld(s.Start); !yield(s.Start) || dyld != 0 && !yield(dyld) {
				return
			}
		}
		p.codePages(yield)
	}
}

// codePages yields the pages of code, except the first of each segment.
func (p *Process) codePages(yield func(task.Addr) bool) {
	left := maxScanned
	for _, s := range p.memory.Segments {
		if s.Prot&task.Execute == 0 {
			continue
		}
		for at := uint64(scanStep); at < s.Kept && left > 0; at += scanStep {
			if left--; !yield(s.Start + task.Addr(at)) {
				return
			}
		}
	}
}

// Offsets in a dyld_cache_header (dyld include/mach-o/dyld_cache_format.h).
const (
	cacheMagic       = "dyld_v1 "
	cacheDyldAt      = 0x78 // dyldInCacheMH, without the slide
	cacheRegionStart = 0xe0 // sharedRegionStart, without the slide
	cacheHeaderSize  = 0xe8
)

// cacheDyld returns the address of the dyld in a shared cache whose header is at a, 0
// if there is none.
func (p *Process) cacheDyld(a task.Addr) task.Addr {
	b := p.scratch[:cacheHeaderSize]
	if task.ReadFull(p.Memory(), b[:len(cacheMagic)], a) != nil || string(b[:len(cacheMagic)]) != cacheMagic ||
		task.ReadFull(p.Memory(), b, a) != nil {
		return 0
	}
	return a + task.Addr(word(b[cacheDyldAt:], 8)-word(b[cacheRegionStart:], 8))
}

// listsImages reports whether the dyld_all_image_infos at a has an array of images: {
// u32 version, u32 count, pointer to the array, … }.
func (p *Process) listsImages(a task.Addr) bool {
	size := p.file.header.pointer
	var b [16]byte
	if task.ReadFull(p.Memory(), b[:8+size], a) != nil {
		return false
	}
	return binary.LittleEndian.Uint32(b[4:]) > 0 && word(b[8:], size) != 0
}

// infosOf returns the address of the __all_image_info section of the dyld whose
// header h is at a. It reports false if there is none.
func (p *Process) infosOf(a task.Addr, h header) (task.Addr, bool) {
	var text, section uint64
	var hasText, hasSection bool
	p.walkImage(a, h, func(cmd uint32, c []byte) {
		name, vmaddr, ok := segmentName(cmd, c)
		if !ok {
			return
		}
		if name == "__TEXT" {
			text, hasText = vmaddr, true
		}
		if v, ok := sectionAddress(cmd, c, "__all_image_info"); ok && !hasSection {
			section, hasSection = v, true
		}
	})
	if !hasText || !hasSection {
		return 0, false
	}
	return task.Addr(section + uint64(a) - text), true
}

// memoryHeader reads the mach_header at an address of the target.
func (p *Process) memoryHeader(a task.Addr) (header, bool) {
	b := p.scratch[:header32]
	if task.ReadFull(p.Memory(), b[:4], a) != nil {
		return header{}, false
	}
	h := header{pointer: p.file.header.pointer, size: header32}
	want := uint32(magic32)
	if h.pointer == 8 {
		want, h.size = magic64, header64
	}
	if binary.LittleEndian.Uint32(b) != want || task.ReadFull(p.Memory(), b, a) != nil {
		return header{}, false
	}
	h.fileType = binary.LittleEndian.Uint32(b[12:])
	h.commands = binary.LittleEndian.Uint32(b[16:])
	return h, true
}

// walkImage calls visit with every load command of an image in memory.
func (p *Process) walkImage(a task.Addr, h header, visit func(cmd uint32, command []byte)) {
	at := a + task.Addr(h.size)
	buf := make([]byte, maxDyldCmd)
	for range min(h.commands, maxDyldCmds) {
		if task.ReadFull(p.Memory(), buf[:commandHead], at) != nil {
			return
		}
		cmd, size := binary.LittleEndian.Uint32(buf), binary.LittleEndian.Uint32(buf[4:])
		if size < commandHead || size > maxDyldCmd || task.ReadFull(p.Memory(), buf[:size], at) != nil {
			return
		}
		visit(cmd, buf[:size])
		at += task.Addr(size)
	}
}

// segmentName returns the name and vmaddr of a segment command.
func segmentName(cmd uint32, c []byte) (string, uint64, bool) {
	pointer, _, _ := segmentShape(cmd)
	if pointer == 0 || len(c) < 24+pointer {
		return "", 0, false
	}
	return cString(c[8:24]), word(c[24:], pointer), true
}

// segmentShape returns the pointer size of a segment command, the size before its
// sections, and that of a section; zeros for any other command.
func segmentShape(cmd uint32) (pointer, head, section int) {
	switch cmd {
	case lcSegment:
		return 4, 56, 68
	case lcSegment64:
		return 8, 72, 80
	}
	return 0, 0, 0
}

// sectionAddress finds a section of a segment command by name: { sectname of 16
// characters, segname of 16, addr, … }.
func sectionAddress(cmd uint32, c []byte, name string) (uint64, bool) {
	pointer, head, size := segmentShape(cmd)
	for at := head; at+size <= len(c); at += size {
		if cString(c[at:at+16]) == name {
			return word(c[at+32:], pointer), true
		}
	}
	return 0, false
}
