package analysis

import (
	"encoding/binary"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// OutOfLineCall reports whether the function of q, which is in a call, keeps its return
// address in another register or below its frame just for that call, as arm64
// compilers do around outlined code. Unwind tables do not describe that, but the
// instruction after the call shows it: mov x30, xN or ldr x30, [sp], #16.
func (s *Source) OutOfLineCall(q *rule.Query) bool {
	if q.First || q.Arch != task.ARM64 {
		return false
	}
	w := s.walk()
	defer s.done(w)
	if w.read(q.Code, q.PC+1, 4) != nil {
		return false
	}
	after := a64(binary.LittleEndian.Uint32(w.code))
	return after.is(0xffe0ffff, 0xaa0003fe) || after == 0xf84107fe
}
