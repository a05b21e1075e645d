package waits

import (
	"encoding/binary"

	"stacksnap/images/code"
	"stacksnap/task"
)

// callee returns the name of the function that was called before a return address, undecorated.
// It is used for a frame without a name, as after a tail call: a public function of the C library often ends with a
// jump to an internal one, which only debug files name.
func (f *Finder) callee(pc task.Addr) string {
	if f.info.OS != task.Linux {
		return ""
	}
	target, ok := f.called(pc)
	if !ok {
		return ""
	}
	if l := f.images.Locate(target, false); l.Offset == 0 {
		return l.Raw
	}
	return ""
}

// maxCall is the length in bytes of the longest call instruction that is decoded: call
// *rel32(%rip).
const maxCall = 6

// called returns the target of the call before a return address, if the call is direct or
// through a pointer in memory.
func (f *Finder) called(pc task.Addr) (target task.Addr, ok bool) {
	var all [maxCall]byte
	b := all[:]
	switch f.info.Arch {
	case task.AMD64:
	case task.ARM64:
		b = b[:4]
	default:
		return 0, false
	}
	m := f.process.Memory()
	if task.ReadFull(m, b, pc-task.Addr(len(b))) != nil {
		return 0, false
	}
	if target, ok := code.CallTarget(f.info.Arch, b, pc); ok || f.info.Arch != task.AMD64 || b[0] != 0xff || b[1] != 0x15 {
		return target, ok
	}
	var p [8]byte
	place := pc + task.Addr(int64(int32(binary.LittleEndian.Uint32(b[2:]))))
	err := task.ReadFull(m, p[:], place)
	return task.Addr(binary.LittleEndian.Uint64(p[:])), err == nil
}
