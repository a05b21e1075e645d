package recording

import (
	"slices"

	"stacksnap/task"
)

// appendKernel appends a thread's kernel frames if they have changed.
func appendKernel(b []byte, before, frames []task.KernelFrame) []byte {
	if slices.Equal(before, frames) {
		return b
	}
	b = appendUint(b, 30, uint64(len(frames)))
	for _, f := range frames {
		var at int
		b, at = begin(b, 31)
		b = appendBytesIf(b, 1, f.Name)
		b = appendBytesIf(b, 2, f.Module)
		b = appendUintIf(b, 3, f.Offset)
		b = end(appendUintIf(b, 4, f.Size), at)
	}
	return b
}

// parseKernel reads the number of frames, which starts a new list, and each following
// frame.
func (t *thread) parseKernel(m *message) {
	t.moved = true
	switch {
	case m.field == 30:
		t.Kernel = nil
	case len(t.Kernel) == task.MaxKernelFrames:
		m.fail(errTooBig)
	default:
		f, err := parseKernelFrame(m.data)
		m.fail(err)
		t.Kernel = append(t.Kernel, f)
	}
}

func parseKernelFrame(data []byte) (f task.KernelFrame, err error) {
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			f.Name = m.string()
		case 2:
			f.Module = m.string()
		case 3:
			f.Offset = m.n
		case 4:
			f.Size = m.n
		}
	}
	if len(f.Name) > task.MaxKernelName || len(f.Module) > task.MaxKernelName {
		return f, errTooBig
	}
	return f, m.err
}
