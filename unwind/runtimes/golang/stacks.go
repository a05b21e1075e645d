package golang

import (
	"encoding/binary"
	"slices"

	"stacksnap/task"
	"stacksnap/unwind"
)

// The bounds of the stacks that are kept.
const (
	maxFrames = 1 << 20 // frames of all stacks
	maxAlike  = 64      // stacks of one outline, which are compared with a new one
)

// stacks are the different stacks of goroutines. On AMD64 each is walked once.
type stacks struct {
	known  map[outline][]*stack
	frames int
	buffer []unwind.Frame
}

// outline is what is compared first: stacks with different outlines differ.
type outline struct {
	pc   uint64
	size int // of the copy
	part bool
}

// stack is a stack that was walked.
type stack struct {
	frames []unwind.Frame
	stop   unwind.Stop
	sp     task.Addr // the stack pointer
	pushed bool      // its copy had all return addresses where calls of AMD64 push them
}

func newStacks() stacks { return stacks{known: map[outline][]*stack{}} }

// stackOf returns the stack of a goroutine, by the copy of its innermost part. It returns nil
// if too many frames are kept already.
func (c *reader) stackOf(s *state, copied []byte) *stack {
	at := outline{s.pc, len(copied), task.Addr(s.sp)+task.Addr(len(copied)) < s.high}
	for _, known := range c.known[at] {
		if known.pushed && known.isOf(copied) {
			return known
		}
	}
	if c.stacks.frames >= maxFrames {
		return nil
	}
	made := c.walk(s, copied)
	for _, known := range c.known[at] {
		if known.isLike(made) {
			return known
		}
	}
	c.stacks.frames += len(made.frames)
	if len(c.known[at]) < maxAlike {
		made.pushed = c.arch == task.AMD64 && made.isOf(copied)
		c.known[at] = append(c.known[at], made)
	}
	return made
}

// isLike reports whether two stacks lead through the same code, and end for the same reason.
func (k *stack) isLike(other *stack) bool {
	return k.stop.Reason == other.stop.Reason && slices.EqualFunc(k.frames, other.frames, func(a, b unwind.Frame) bool {
		return a.PC == b.PC && a.Return == b.Return && a.By == b.By
	})
}

// isOf reports whether a copied stack of the same size has the same return addresses in
// the same places. Its walk would then be the same, since the return address determines where
// the caller's frame is.
func (k *stack) isOf(copied []byte) bool {
	if len(k.frames) == 0 || len(copied) < 8 {
		return false
	}
	last := task.Addr(len(copied) - 8)
	for i := range k.frames[1:] {
		f := &k.frames[1+i]
		at := f.SP - k.sp - 8
		if !f.Return || f.By.Guess() || at > last || task.Addr(binary.LittleEndian.Uint64(copied[at:])) != f.PC {
			return false
		}
	}
	return true
}

// walk walks a copied stack. The PC of the innermost frame is a return address, too, unless the
// goroutine has not started.
func (c *reader) walk(s *state, copied []byte) *stack {
	t := task.Thread{
		Registers: s.registers(c.arch),
		Stacks:    []task.Stack{{Base: task.Addr(s.sp), Bytes: copied, Top: s.high}},
	}
	var stop unwind.Stop
	c.stacks.buffer, stop = c.Unwinder.Walk(c.stacks.buffer[:0], &t, c.Images, c.Code)
	k := &stack{frames: slices.Clone(c.stacks.buffer), stop: stop, sp: task.Addr(s.sp)}
	if len(k.frames) > 0 {
		k.frames[0].Return = !c.isStart(task.Addr(s.pc))
	}
	return k
}

// isStart reports whether an address is where a function begins.
func (c *reader) isStart(a task.Addr) bool {
	im, ok := c.Images.Find(a)
	if !ok || im.File == nil {
		return false
	}
	start, ok := im.File.FunctionStart(im.VMAddr(a))
	return ok && start == im.VMAddr(a)
}
