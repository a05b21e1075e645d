// Package code derives function bounds and call targets from instructions, for files
// whose symbols have no sizes.
package code

import (
	"encoding/binary"

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
	buf := make([]byte, vmaddr-start+maxPast)
	n, _ := read(buf, start)
	r := &reach{code: buf[:n], base: start, want: vmaddr - start}
	switch arch {
	case task.AMD64:
		r.decode = amd64
	case task.ARM64:
		r.decode = arm64
	default:
		return false
	}
	return r.run()
}

// step is the control flow of one instruction.
type step struct {
	size   uint64 // in bytes; 0: no instruction
	flow   x86.Flow
	target int64 // of a jump or branch, as an offset from the start
	filler bool  // the instruction is padding
}

// reach follows control flow.
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

func amd64(code []byte, off uint64) step {
	var i x86.Inst
	if !i.Decode(code, uint32(off)) {
		return step{}
	}
	s := step{size: uint64(i.Size), flow: i.Flow(), filler: i.Op == 0x90 || i.Op == 0x0f1f || i.Op == 0xcc}
	if i.Direct() {
		s.target = int64(off) + int64(i.Size) + i.Imm
	}
	return s
}

// arm64 decodes b, b.cond, cbz, tbz and similar (A64, "Branches, Exception Generating
// and System instructions").
func arm64(code []byte, off uint64) step {
	if off+4 > uint64(len(code)) || off%4 != 0 {
		return step{}
	}
	ins := binary.LittleEndian.Uint32(code[off:])
	s := step{size: 4, filler: ins == 0xd503201f}
	near := func(low, bits uint) int64 { // a signed distance, in instructions
		return int64(off) + int64(int32(ins<<(32-bits-low))>>(32-bits))*4
	}
	switch {
	case ins&0xfc000000 == 0x14000000:
		s.flow, s.target = x86.Jump, near(0, 26)
	case ins&0xff000010 == 0x54000000, ins&0x7e000000 == 0x34000000:
		s.flow, s.target = x86.Branch, near(5, 19)
	case ins&0x7e000000 == 0x36000000:
		s.flow, s.target = x86.Branch, near(5, 14)
	case ins&0xfc000000 == 0x94000000, ins&0xfffffc1f == 0xd63f0000, ins&0xfefff800 == 0xd63f0800:
		s.flow = x86.Call
	case ins&0xfe000000 == 0xd6000000: // br, ret, eret and their like
		s.flow = x86.Indirect
	case ins&0xffe0001f == 0xd4200000, ins>>16 == 0: // brk, udf
		s.flow = x86.Stop
	}
	return s
}
