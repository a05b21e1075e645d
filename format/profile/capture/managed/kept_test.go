package managed

import (
	"strings"
	"testing"

	"stacksnap/task"
)

// TestBoundOfKeptStacks: stacks of all threads are kept up to a bound, and those that are dropped or
// replaced make room.
func TestBoundOfKeptStacks(t *testing.T) {
	var k keptStacks
	big := []task.ManagedFrame{{Function: strings.Repeat("x", maxKept/4)}}
	n := 0
	for id := range task.ThreadID(10) {
		if k.set(id, big) {
			n++
		}
	}
	if n != 3 || len(k.of) != n || k.size > maxKept {
		t.Errorf("%d stacks of %d bytes", n, k.size)
	}
	if !k.set(0, big) || k.set(9, big) {
		t.Error("a stack that replaces another needs no more room than it")
	}
	for id := range task.ThreadID(10) {
		k.drop(id)
	}
	if k.size != 0 {
		t.Errorf("%d bytes of nothing", k.size)
	}
}
