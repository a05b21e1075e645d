package object

import (
	"fmt"
	"slices"
	"sync"
)

// maxLeftOut bounds how many sections of a file are known to be left out.
const maxLeftOut = 100

// LeftOut is what of a file and the files that belong to it is not read, each with the
// reason. A nil one keeps nothing. It is safe for concurrent use.
type LeftOut struct {
	mu    sync.Mutex
	lines []string
}

// Add adds something, as a sentence for the report, once.
func (l *LeftOut) Add(line string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) < maxLeftOut && !slices.Contains(l.lines, line) {
		l.lines = append(l.lines, line)
	}
}

// Line tells of the first in the report, and how many there are more; empty: there is
// none.
func (l *LeftOut) Line() string {
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch n := len(l.lines); n {
	case 0:
		return ""
	case 1:
		return l.lines[0]
	default:
		return fmt.Sprintf("%s; nor are %d more of its sections", l.lines[0], n-1)
	}
}
