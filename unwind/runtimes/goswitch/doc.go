// Package goswitch leads from the stack of a thread back to that of the goroutine
// which called C, or the system's library, there. Go's runtime.asmcgocall switches
// from the one to the other, and no table says how (runtime/asm_amd64.s,
// asm_arm64.s): it leaves two words at its stack pointer, the goroutine's g and how
// deep on the goroutine's stack it was, or, where it was on the thread's own stack,
// zero and the stack pointer as it was. The depth stays right when the stack is
// moved. Which word is where has changed with Go's versions, so it is read out of
// the instructions behind the call, which go back. With p the goroutine's stack
// pointer there, they are
//
//	AMD64: p = *(*(sp+g) + hi) - *(sp+d), or p = *(sp+d)
//	       fp = *p; pc = *(p+8); cfa = p + 16
//	ARM64: the same p
//	       fp = *(p-8); pc = *p; cfa = p + 16
//
// Checked against what Go 1.21.13, 1.23.12 and 1.26.8 make for Darwin and Linux:
// on AMD64 g and d are 0x30 and 0x28 in the first and 8 and 0 in the others, on
// ARM64 they are 0 and 8, and hi is 8 in all of them.
//
// The frame pointer is no substitute. On AMD64 it is p in these versions, as long
// as all of the C in between has kept it; on ARM64 it is set to what the thread's
// own stack had last, so that it never leads to the goroutine.
package goswitch
