package ptrace

import (
	"bytes"
	"slices"

	"stacksnap/task"
)

// span is where a mapping lies.
type span struct{ start, end task.Addr }

// spanTable is the target's readable mappings as they were when last read.
type spanTable struct {
	all   []span
	stale bool // a stack was met that does not fit the table
}

// read takes the readable mappings from the text of /proc/PID/maps.
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

// find returns the mapping that a is in.
func (s *spanTable) find(a task.Addr) (span, bool) { return spanOf(s.all, a) }

// spanOf returns which of some, lowest first, a is in.
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

// stackRange returns where a stack with this sp is to be copied from, and where
// its mapping ends. Outside of the known mappings top is 0.
func (s *spanTable) stackRange(sp task.Addr) (from, top task.Addr) {
	from = sp - min(sp, task.RedZone)
	if in, ok := s.find(sp); ok {
		return max(from, in.start), in.end
	}
	return from, 0
}
