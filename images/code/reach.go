// Package code tells from instructions what belongs to a function, for files
// that tell where it starts and not where it ends.
package code

import (
	"stacksnap/images/code/x86"
	"stacksnap/task"
)

// Bounds of one question.
const (
	maxReach = 64 << 10 // bytes from the start to the address
	maxPast  = 2 << 10  // bytes looked at behind the address
	maxSteps = 20_000   // instructions
)

// alignment is what compilers align functions to.
const alignment = 16

// Reader reads code by its vmaddr: fewer bytes with an error where it ends.
type Reader func(p []byte, vmaddr uint64) (int, error)

// Reaches reports whether control that enters a function at start gets to the
// instruction at vmaddr without leaving the function: by going on, and by jumps
// that say where to. It goes no further where it may be in another function: not
// behind a call at the end of an aligned block, which may never come back, and not
// along a jump forward to where an aligned function may start. So what it says is
// true, and what it denies may be: jumps through tables are not followed.
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

// step is what one instruction does to the flow of control.
type step struct {
	size   uint64 // 0: none
	flow   x86.Flow
	target int64 // of a jump or branch, from the start
	filler bool  // it does nothing
}

// reach follows the flow of control.
type reach struct {
	code   []byte
	base   uint64 // of code
	want   uint64 // an offset in it
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

// follow notes where an instruction jumps, and reports whether control goes on.
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
