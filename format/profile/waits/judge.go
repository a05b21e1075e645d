package waits

import (
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
)

// replyFunctions wait for the reply to a message in a nested run loop, so that the call
// alone looks idle (CF, CFMessagePort.c).
var replyFunctions = set{"CFMessagePortSendRequest"}

// maxReplyFrames is the number of innermost frames in which replyFunctions are looked for.
const maxReplyFrames = 32

// awaitsReply reports whether a thread in mach_msg is in one of replyFunctions.
func (f *Finder) awaitsReply(frames []unwind.Frame) bool {
	for _, name := range f.functionsOf(frames[:min(len(frames), maxReplyFrames)]) {
		if replyFunctions.has(name) {
			return true
		}
	}
	return false
}

// Judge classifies the waits of a Darwin process, by the call and, if that is not enough,
// by the thread's stack.
type Judge struct {
	finder *Finder
	images func() *images.Map
}

// NewJudge returns a Judge for the threads of a process. images returns the present images.
func NewJudge(p task.Process, images func() *images.Map) *Judge {
	return &Judge{&Finder{process: p, info: p.Info()}, images}
}

// Kind is [Classify] for a call in which a thread of a Darwin process waits, using its
// stack too. r are the registers at the entry of the kernel.
func (j *Judge) Kind(r *task.Registers, s *task.Syscall) Kind {
	c, ok := darwinCall(s.Number)
	if !ok {
		return Other
	}
	j.finder.images = j.images()
	kind := c.kind(s.Args)
	switch {
	case kind == Loop && shapes[c.shape].isMessage && j.finder.awaitsReply(j.frames(r)):
		return Other
	case c.shape == ulock && kind == Other && j.waitsForQueue(task.Addr(s.Args[1])):
		return Lock
	}
	return kind
}

// waitsForQueue reports whether a word belongs to a dispatch_sync.
func (j *Judge) waitsForQueue(word task.Addr) bool {
	if j.finder.info.Arch.PointerSize() != 8 {
		return false
	}
	b := make([]byte, contextSize)
	if task.ReadFull(j.finder.process.Memory(), b, word-contextEvent) != nil {
		return false
	}
	t := task.Thread{Stacks: []task.Stack{{Base: word - contextEvent, Bytes: b}}}
	_, ok := contextAt(&t, word-contextEvent)
	return ok
}

// frames returns the stack by frame pointers, which all of Apple's code keeps.
func (j *Judge) frames(r *task.Registers) []unwind.Frame {
	frames := []unwind.Frame{{PC: r.PC()}}
	fp, ok := r.Value(r.Arch.FP())
	for a := task.Addr(fp); ok && a != 0 && a%8 == 0 && len(frames) < maxReplyFrames; {
		next, err := task.ReadPointer(j.finder.process.Memory(), a, 8)
		if err != nil {
			break
		}
		pc, err := task.ReadPointer(j.finder.process.Memory(), a+8, 8)
		if err != nil {
			break
		}
		frames = append(frames, unwind.Frame{PC: pc & task.Addr(j.finder.info.CodeMask), Return: true})
		if next <= a {
			break
		}
		a = next
	}
	return frames
}
