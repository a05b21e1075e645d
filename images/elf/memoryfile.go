package elf

import "stacksnap/images/object"

// newMemoryFile returns a File of what is mapped: the symbols of PT_DYNAMIC and the
// unwind tables of PT_GNU_EH_FRAME and PT_ARM_EXIDX. All of it is copied now, because
// the target runs on.
func newMemoryFile(vm memoryVM, h *header, budget *object.Budget) *File {
	f := newFile(h.file, vm, 0)
	f.budget = budget
	f.ids = h.ids
	f.symbols()
	for _, kind := range []object.Kind{object.EHFrameHdr, object.EHFrame, object.ExIdx} {
		_, _ = f.Section(kind) // a later call returns the error
	}
	return f
}
