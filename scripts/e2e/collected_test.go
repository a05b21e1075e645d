//go:build linux

package e2e

import (
	"regexp"
	"strconv"
	"testing"
)

// collection is what the Go runtime tells of one: how much of the heap was in use, and
// how large it may become until the next.
var collection = regexp.MustCompile(`(?m)^gc \d+ .*->(\d+) MB, (\d+) MB goal`)

// TestWatchCollectsItsGarbage: a watch goes on for days, beside a target that needs the
// memory.
func TestWatchCollectsItsGarbage(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "2", "read")
	blocksInRead(t, pid(target))
	t.Setenv("GODEBUG", "gctrace=1")
	all := collection.FindAllStringSubmatch(snap(t, "-p", pid(target), "--every", "5ms", "-n", "400").err, -1)
	if len(all) < 3 {
		t.Fatalf("%d collections", len(all))
	}
	const least = 4              // MB, to which Go lets any heap grow, times the percent of it
	for _, gc := range all[2:] { // the first are of a heap that begins
		live, _ := strconv.Atoi(gc[1])
		goal, _ := strconv.Atoi(gc[2])
		if goal > 2*live+least {
			t.Errorf("%s", gc[0])
		}
	}
}
