package rule

import "stacksnap/task"

// FramePointer is the rule of a function with a standard frame record, the
// saved frame pointer with the return address above it (w is a pointer's size):
//
//	cfa = fp + 2w; fp = *(cfa - 2w); pc = *(cfa - w)
//
// AMD64 and I386 make it by push fp; mov sp, fp; ARM64 by stp fp, lr; mov fp, sp;
// Apple's armv7 by push {r7, lr}; mov r7, sp.
func FramePointer(a task.Arch) Rule {
	w := int32(a.PointerSize())
	r := Rule{CFA: Add(a.FP(), 2*w), RA: At(CFA, -w)}
	r.Save(a.FP(), At(CFA, -2*w))
	return r
}

// Frameless is the rule of a function that has moved the stack pointer down by size
// bytes since it was called, not counting the pushed return address, and has saved no
// register:
//
//	AMD64, I386:  cfa = sp + size + w; pc = *(cfa - w)
//	ARM64, ARM:   cfa = sp + size;     pc = lr
func Frameless(a task.Arch, size int32) Rule {
	if lr, ok := a.LR(); ok {
		return Rule{CFA: Add(a.SP(), size), RA: Add(lr, 0)}
	}
	w := int32(a.PointerSize())
	return Rule{CFA: Add(a.SP(), size+w), RA: At(CFA, -w)}
}
