// Package goswitch leads from a thread's stack back to the stack of the goroutine
// that called C, or a system library, there. Go's runtime.asmcgocall switches between
// the two, and no table says how (runtime/asm_amd64.s, asm_arm64.s). It leaves two
// words at its stack pointer: the goroutine's g, and its depth on the goroutine's
// stack. If it already was on the thread's own stack, the words are zero and the old
// stack pointer. The depth stays right when the stack is moved. The order of the
// words depends on Go's version, so it is decoded from the instructions after the
// call, which switch back. With p as the goroutine's stack pointer, they are
//
//	AMD64: p = *(*(sp+g) + hi) - *(sp+d), or p = *(sp+d)
//	       fp = *p; pc = *(p+8); cfa = p + 16
//	ARM64: the same p
//	       fp = *(p-8); pc = *p; cfa = p + 16
//
// Checked against the code of Go 1.21.13, 1.23.12 and 1.26.8 for Darwin and Linux: on
// AMD64 g and d are 0x30 and 0x28 in the first and 8 and 0 in the others, on ARM64
// they are 0 and 8, and hi is 8 in all of them.
//
// The frame pointer is no substitute. On AMD64 it is p in these versions, as long as
// all the C in between has preserved it; on ARM64 it is set to the last one of the
// thread's own stack, so that it never leads to the goroutine.
package goswitch
