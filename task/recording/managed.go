package recording

import (
	"slices"

	"stacksnap/task"
)

// The bounds of the number of a thread's managed frames, and of each of their strings.
const (
	maxManaged     = 1 << 14
	maxManagedText = 1 << 12
)

// appendManaged appends a thread's managed frames if they have changed: how many of the
// outermost ones have not changed, then the others, innermost first.
func appendManaged(b []byte, before, frames []task.ManagedFrame) []byte {
	if slices.Equal(before, frames) {
		return b
	}
	frames = frames[max(0, len(frames)-maxManaged):]
	kept := 0
	for kept < min(len(before), len(frames)) && before[len(before)-1-kept] == frames[len(frames)-1-kept] {
		kept++
	}
	b = appendUint(b, 32, uint64(kept))
	for i := range frames[:len(frames)-kept] {
		b = appendManagedFrame(b, 33, &frames[i])
	}
	return b
}

func appendManagedFrame(b []byte, field int, f *task.ManagedFrame) []byte {
	b, at := begin(b, field)
	b = appendBytesIf(b, 1, cutText(f.Runtime))
	b = appendBytesIf(b, 2, cutText(f.Function))
	b = appendBytesIf(b, 3, cutText(f.File))
	b = appendUintIf(b, 4, uint64(max(0, f.Line)))
	b = appendBoolIf(b, 5, f.Entry)
	b = appendUintIf(b, 6, uint64(f.Shim))
	return end(b, at)
}

func cutText(s string) string { return s[:min(len(s), maxManagedText)] }

// parse reads either the number of unchanged frames or a new frame.
func (c *managedChange) parse(m *message) {
	switch {
	case m.field == 32:
		c.is, c.kept = true, index(m.n)
	case len(c.added) == maxManaged:
		m.fail(errTooBig)
	default:
		f, err := parseManagedFrame(m.data)
		m.fail(err)
		c.added = append(c.added, f)
	}
}

// managedChange is how a thread's managed frames have changed.
type managedChange struct {
	is    bool // there is a change
	kept  int  // number of the outermost frames that are as before
	added []task.ManagedFrame
}

// apply returns the frames after the change.
func (c *managedChange) apply(before []task.ManagedFrame) ([]task.ManagedFrame, error) {
	switch {
	case !c.is:
		return before, nil
	case c.kept > len(before) || c.kept+len(c.added) > maxManaged:
		return nil, errTooBig
	}
	return append(c.added, before[len(before)-c.kept:]...), nil
}

func parseManagedFrame(data []byte) (f task.ManagedFrame, err error) {
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			f.Runtime = m.string()
		case 2:
			f.Function = m.string()
		case 3:
			f.File = m.string()
		case 4:
			f.Line = index(m.n)
		case 5:
			f.Entry = m.bool()
		case 6:
			f.Shim = task.Addr(m.n)
		}
	}
	if len(f.Runtime) > maxManagedText || len(f.Function) > maxManagedText || len(f.File) > maxManagedText {
		return f, errTooBig
	}
	return f, m.err
}

func managedBytes(t *thread) (n int) {
	const each = 64
	for i := range t.Managed {
		f := &t.Managed[i]
		n += each + len(f.Runtime) + len(f.Function) + len(f.File)
	}
	for _, text := range t.Goroutine.Labels {
		n += each + len(text)
	}
	return n
}
