// Package code derives function bounds and call targets from instructions, for files
// whose symbols have no sizes.
package code

import (
	"stacksnap/images/code/x86"
	"stacksnap/task"
)

// Limits of one query.
const (
	maxReach = 64 << 10 // bytes from start to vmaddr
	maxPast  = 2 << 10  // bytes examined after vmaddr
	maxSteps = 20_000   // instructions
)

// alignment is how compilers align functions, in bytes.
const alignment = 16

// Reader reads code at a vmaddr. Where code ends it returns fewer bytes and an error.
type Reader func(p []byte, vmaddr uint64) (int, error)

// Reaches reports whether control that enters a function at start reaches vmaddr
// without leaving the function, through fallthrough and direct jumps. It stops where
// another function may start: after a call at the end of an aligned block, which may
// never return, and before a forward jump to an aligned address. A true result is
// certain. False is not: jumps through tables are not followed.
func Reaches(arch task.Arch, read Reader, start, vmaddr uint64) bool {
	if vmaddr < start || vmaddr-start > maxReach {
		return false
	}
	if vmaddr == start {
		return true
	}
	decode := instructionsOf(arch).decode
	if decode == nil {
		return false
	}
	buf := make([]byte, vmaddr-start+maxPast)
	n, _ := read(buf, start)
	r := &reach{code: buf[:n], base: start, want: vmaddr - start, decode: decode}
	return r.run()
}

// step is the control flow of one instruction.
type step struct {
	size   uint64 // in bytes; 0: no instruction
	flow   x86.Flow
	target int64 // of a jump or branch, as an offset from the start
	filler bool  // the instruction is padding
}

// reach follows the control flow in the code from a function's start.
type reach struct {
	code   []byte
	base   uint64 // vmaddr of code
	want   uint64 // offset in code
	decode func(code []byte, off uint64) step

	seen []bool
	todo []uint64
}

func (r *reach) run() bool {
	r.seen = make([]bool, len(r.code))
	r.todo = append(r.todo, 0)
	for steps := 0; len(r.todo) > 0; {
		off := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		for called := false; off < uint64(len(r.code)) && !r.seen[off]; steps++ {
			in := r.decode(r.code, off)
			if steps > maxSteps || in.size == 0 || called && (in.filler || (r.base+off)%alignment == 0) {
				break
			}
			if off <= r.want && r.want < off+in.size {
				return true
			}
			r.seen[off] = true
			if !r.follow(off, &in) {
				break
			}
			called = in.flow == x86.Call
			off += in.size
		}
	}
	return false
}

// follow queues the target of a jump, and reports whether control also continues
// after it.
func (r *reach) follow(off uint64, in *step) bool {
	switch in.flow {
	case x86.Next, x86.Call:
		return true
	case x86.Branch:
		r.jump(in.target)
		return true
	case x86.Jump:
		if in.target < int64(off) || (r.base+uint64(in.target))%alignment != 0 {
			r.jump(in.target)
		}
	}
	return false
}

func (r *reach) jump(target int64) {
	if target >= 0 && target < int64(len(r.code)) {
		r.todo = append(r.todo, uint64(target))
	}
}
