//go:build linux

package procfs

import (
	"bytes"
	"slices"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// span is the address range of a mapping.
type span struct{ start, end task.Addr }

// spanTable is the target's readable mappings at the time they were last read.
type spanTable struct {
	all   []span
	stale bool // a stack was met that is not in the table
}

// read reads the readable mappings from the text of /proc/PID/maps.
func (s *spanTable) read(maps []byte) {
	s.all, s.stale = s.all[:0], false
	for len(maps) > 0 {
		line, rest, _ := bytes.Cut(maps, []byte("\n"))
		maps = rest
		c := fields{rest: line}
		sp := span{task.Addr(c.hex('-')), task.Addr(c.hex(' '))}
		if !c.bad && sp.start < sp.end && bytes.HasPrefix(c.rest, []byte("r")) {
			s.all = append(s.all, sp)
		}
	}
}

// find returns the mapping that contains a.
func (s *spanTable) find(a task.Addr) (span, bool) { return spanOf(s.all, a) }

// spanOf returns the span that contains a; all is sorted by address.
func spanOf(all []span, a task.Addr) (span, bool) {
	i, found := slices.BinarySearchFunc(all, a, compareStart)
	if !found {
		i--
	}
	if i < 0 || a >= all[i].end {
		return span{}, false
	}
	return all[i], true
}

func compareStart(s span, a task.Addr) int {
	switch {
	case s.start < a:
		return -1
	case s.start > a:
		return 1
	}
	return 0
}

// stackRange returns from where to copy a stack with this sp, and where its mapping ends. If sp
// is in no known mapping, top is 0.
func (s *spanTable) stackRange(sp task.Addr) (from, top task.Addr) {
	from = sp - min(sp, task.RedZone)
	if in, ok := s.find(sp); ok {
		return max(from, in.start), in.end
	}
	return from, 0
}

// refreshSpans reads the mappings again if there are other threads than before, or if a stack
// was met that is not in the table. Stacks that stay in use do not move their end.
func (p *Process) refreshSpans(ids []task.ThreadID) {
	if !p.stacks.stale && slices.Equal(ids, p.stacksOf) {
		return
	}
	p.stacksOf = append(p.stacksOf[:0], ids...)
	if p.readMaps() == nil {
		p.stacks.read(p.mapsText.Bytes())
	}
}

// StackTop returns the end of the mapping that contains this sp, 0 if it is not known. In that
// case the mappings are read again before the next stop.
func (p *Process) StackTop(sp task.Addr) task.Addr {
	_, top := p.stacks.stackRange(sp)
	if top == 0 {
		p.stacks.stale = true
	}
	return top
}

// CopyStack copies from just below sp to the end of the mapping that sp is in, or to a guard page
// before it, as far as there is room.
func (p *Process) CopyStack(t *task.Thread) error {
	room := t.Buffer()
	s, errno := p.copyStack(room[:cap(room)], t.Registers.SP())
	t.Stacks = t.Stacks[:0]
	if len(s.Bytes) > 0 {
		t.Stacks = append(t.Stacks, s)
	}
	if errno != 0 && (len(s.Bytes) == 0 || isCut(errno)) {
		return p.Mem.faults.next(s.End(), errno)
	}
	return nil
}

// copyStack copies the stack with this sp into room. The error says why no more was copied.
func (p *Process) copyStack(room []byte, sp task.Addr) (task.Stack, unix.Errno) {
	from, top := p.stacks.stackRange(sp)
	if top != 0 && uint64(top-from) < uint64(len(room)) {
		room = room[:top-from]
	}
	n, errno := p.Mem.copy(room, from)
	if n == 0 && from < sp { // the bytes below sp may be on another page
		from = sp
		n, errno = p.Mem.copy(room[:max(0, len(room)-task.RedZone)], from)
	}
	if top == 0 || n < len(room) && errno != errnoGuard { // the mapping has guards of other stacks, too
		p.stacks.stale = true
	}
	if end := from + task.Addr(n); n < len(room) && !isCut(errno) && (top == 0 || end < top) {
		top = end
	}
	return task.Stack{Base: from, Bytes: room[:n], Top: top}, errno
}

// isCut reports whether a stack goes on where its copy ends.
func isCut(errno unix.Errno) bool {
	return errno == errnoBlocks || errno == errnoOverTime || errno == errnoStarved
}
