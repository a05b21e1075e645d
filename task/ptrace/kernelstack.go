package ptrace

import (
	"bytes"
	"strconv"

	"stacksnap/task"
)

// kernelCut stands for callers that the kernel does not tell.
const kernelCut = "<cut: callers in the kernel>"

// maxStackTrace is how many frames a stack file has at most (MAX_STACK_TRACE_DEPTH,
// fs/proc/base.c).
const maxStackTrace = 64

// parseKernelStack reads a stack file: a line for each frame, the innermost first, such
// as "[<0>] name+0x1a/0x60 [module]" (proc_pid_stack, fs/proc/base.c, by "%pB"). What
// has no name is left as it is told.
func parseKernelStack(b []byte) (frames []task.KernelFrame) {
	for line := range bytes.Lines(b) {
		text := bytes.TrimSpace(line)
		if _, rest, ok := bytes.Cut(text, []byte("] ")); ok && text[0] == '[' {
			text = rest
		}
		if len(text) == 0 {
			continue
		}
		frames = append(frames, parseKernelFrame(text))
		if len(frames) == maxStackTrace {
			return append(frames, task.KernelFrame{Name: kernelCut})
		}
	}
	return frames
}

func parseKernelFrame(text []byte) task.KernelFrame {
	text = text[:min(len(text), task.MaxKernelName)]
	symbol, module, _ := bytes.Cut(text, []byte(" ["))
	f := task.KernelFrame{Name: string(symbol), Module: string(bytes.TrimSuffix(module, []byte("]")))}
	plus := bytes.LastIndexByte(symbol, '+')
	if plus <= 0 {
		return f
	}
	offset, size, _ := bytes.Cut(symbol[plus+1:], []byte("/"))
	o, offsetErr := strconv.ParseUint(string(offset), 0, 64)
	s, sizeErr := strconv.ParseUint(string(size), 0, 64)
	if offsetErr == nil && sizeErr == nil && s != 0 {
		f.Name, f.Offset, f.Size = string(symbol[:plus]), o, s
	}
	return f
}

// parseChannel reads a wchan file: the function in which a thread waits, 0 where it
// does not, or that is not told.
func parseChannel(b []byte) []task.KernelFrame {
	name := string(bytes.TrimSpace(b))
	if name == "" || name == "0" {
		return nil
	}
	return []task.KernelFrame{{Name: name}, {Name: kernelCut}}
}
