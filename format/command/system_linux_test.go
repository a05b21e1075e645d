package command

import (
	"os"
	"slices"
	"strconv"
	"testing"
)

// TestChosenNow: of one pid and of several these alone, and without any all but us.
func TestChosenNow(t *testing.T) {
	parent := os.Getppid()
	if parent < 1 {
		t.Fatalf("parent %d", parent)
	}
	for _, targets := range [][]string{{strconv.Itoa(parent)}, {strconv.Itoa(parent), strconv.Itoa(parent)}} {
		if pids, err := chosenNow(targets); err != nil || !slices.Equal(pids, []int{parent}) {
			t.Errorf("%q: %v, %v", targets, pids, err)
		}
	}
	pids, err := chosenNow(nil)
	if err != nil || !slices.Contains(pids, parent) || slices.Contains(pids, os.Getpid()) {
		t.Errorf("all: %v, %v; we are %d, our parent %d", pids, err, os.Getpid(), parent)
	}
}
