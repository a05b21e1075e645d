package cfi

import (
	"stacksnap/images/object"
	"stacksnap/task"
)

// completeGo adds to a row written by Go's linker where the frame pointer was saved.
// The linker describes only the CFA and the return address
// (cmd/link/internal/ld/dwarf.go, writeframes), so by DWARF's conventions every frame
// pointer would be the callee's.
//
// A Go function with a frame saves the frame pointer (cmd/internal/obj/x86/obj6.go,
// arm64/obj7.go)
//
//	AMD64: just below the return address:  fp = *(cfa - 16)
//	ARM64: just below the frame:           fp = *(sp - 8), sp = cfa - size
func (v *converter) completeGo(r *row, file object.File, f *fde) {
	if r.cfa.kind != register || task.Reg(r.cfa.reg) != v.arch.SP() {
		return
	}
	fp := &r.columns[v.arch.FP()]
	if fp.kind != unspecified {
		return
	}
	size := r.cfa.off
	switch {
	case v.arch == task.AMD64 && size >= 16:
		*fp = column{kind: offset, off: -16}
	case v.arch == task.ARM64 && size >= crosscall2Size && isCrosscall2(file, f):
		crosscall2(r)
	case v.arch == task.ARM64 && size >= 16:
		*fp = column{kind: offset, off: -size - 8}
	}
}

// crosscall2Size is how far crosscall2 moves sp on ARM64, in bytes.
const crosscall2Size = 8 * 24

func isCrosscall2(file object.File, f *fde) bool {
	sym, ok := file.Symbol(f.start)
	return ok && sym.Name == "crosscall2"
}

// crosscall2 describes the function by which C calls Go on ARM64. It saves the
// registers that C preserves in slots of its own (runtime/cgo/asm_arm64.s), which the
// linker does not describe:
//
//	x19 … x28 = *(sp + 32) …; fp = *(sp + 176); lr = *(sp + 184); cfa = sp + 192
func crosscall2(r *row) {
	sp := -r.cfa.off
	for i := range 10 {
		r.columns[19+i] = column{kind: offset, off: sp + 32 + 8*int64(i)}
	}
	r.columns[29] = column{kind: offset, off: sp + 176}
	r.columns[30] = column{kind: offset, off: sp + 184}
}
