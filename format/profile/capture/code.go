package capture

import (
	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// codeMemory is the memory of a process to walk with. Code of the files that are
// in use is read from them: by the time that a stack is walked another library may
// be where the one was that it was captured in, or none.
type codeMemory struct {
	live     task.Memory
	in       *images.Map // nil: nothing is known
	restless bool        // images that may be unloaded are read with care, see [object.Placed]
}

// ReadMemory implements [task.Memory].
func (m *codeMemory) ReadMemory(p []byte, a task.Addr) (int, error) {
	im, found := m.image(a)
	if found && m.restless && im.Code != nil {
		return im.Code.ReadMemory(p, a)
	}
	n := 0
	if found {
		n = readFile(im, p, a)
	}
	if n == len(p) {
		return n, nil
	}
	more, err := m.live.ReadMemory(p[n:], a+task.Addr(n))
	return n + more, err
}

func (m *codeMemory) image(a task.Addr) (*images.Image, bool) {
	if m.in == nil {
		return nil, false
	}
	return m.in.Find(a)
}

func readFile(im *images.Image, p []byte, a task.Addr) int {
	f, ok := im.File.(object.CodeReader)
	if !ok {
		return 0
	}
	return f.ReadCode(p, im.VMAddr(a))
}
