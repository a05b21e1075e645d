package analysis

import (
	"stacksnap/images/code/x86"
	"stacksnap/task"
)

const (
	maxPopSteps = 1000 // instructions of a callee examined
	stubSteps   = 3    // maximum length of a stub, which ends in an indirect jump

	maxCalleeSteps = 2_000_000 // instructions of all callees; later callees are assumed to pop nothing
)

// popped returns how many bytes of arguments the callee pops. Many do on i386
// (stdcall, fastcall, thiscall, and functions that return a structure), by a ret with
// an operand.
func (w *walk) popped(in *inst) int32 {
	if w.word == 4 && in.direct && w.mem != nil {
		if n, ok := w.popsByRet(w.start + task.Addr(in.target)); ok {
			return n
		}
	}
	return in.popped
}

// popsByRet finds the first ret of the function at a. All its rets pop the same, and
// so do those of a function that it tail-calls.
func (w *walk) popsByRet(a task.Addr) (int32, bool) {
	var i x86.Inst
	code, off := w.calleeCode[:0], uint32(0)
	for n := range maxPopSteps {
		if uint32(len(code)) < off+longest { // the next code is not read yet
			a += task.Addr(off)
			got, _ := w.mem.ReadMemory(w.calleeCode[:], a)
			code, off = w.calleeCode[:got], 0
		}
		if w.calleeSteps++; w.calleeSteps > maxCalleeSteps || !i.Decode32(code, off) {
			return 0, false
		}
		switch i.Flow() {
		case x86.Ret:
			return int32(uint16(i.Imm)), i.Op == 0xc3 || i.Op == 0xc2
		case x86.Stop:
			return 0, false
		case x86.Indirect:
			if n < stubSteps {
				return 0, false
			}
		case x86.Jump:
			if i.Imm > 0 {
				a += task.Addr(int64(off+i.Size) + i.Imm)
				code, off = code[:0], 0
				continue
			}
		}
		off += i.Size
	}
	return 0, false
}
