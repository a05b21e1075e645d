package object

import (
	"fmt"
	"slices"
	"sync"
)

// maxLeftOut is the maximum number of lines in a LeftOut.
const maxLeftOut = 100

// LeftOut collects which parts of a file, and of the files that belong to it, were
// not read, and why. A nil one collects nothing. It is safe for concurrent use.
type LeftOut struct {
	mu    sync.Mutex
	lines []string
}

// Add adds a sentence for the report, once.
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

// Line returns the first sentence and the number of further ones; "" if there is
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
