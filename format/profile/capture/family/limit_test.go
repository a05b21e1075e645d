package family

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"syscall"
	"testing"
)

func TestAtOnce(t *testing.T) {
	for files, want := range map[uint64]int{
		0: 1, 36: 1, 48: 2, 64: 3, 256: 19, 1024: 64, math.MaxUint64: 64,
	} {
		if got := mostOf(files, maxAtOnce); got != want {
			t.Errorf("%d files: %d at once, want %d", files, got, want)
		}
	}
}

// TestTooManyOpenFiles are told once, however often they were the reason.
func TestTooManyOpenFiles(t *testing.T) {
	other := errors.New("other")
	f := &family{members: []*member{{pid: 1, err: other}}, roots: map[int]bool{1: true}}
	for range 30 {
		if err := f.without(fmt.Errorf("open: %w", syscall.EMFILE)); err != nil {
			t.Error(err)
		}
	}
	if f.without(other) != other {
		t.Error("another error is left out")
	}
	_, lost, err := f.results()
	if len(lost) != 1 || !errors.Is(lost[0].Err, other) || !errors.Is(err, syscall.EMFILE) || strings.Count(err.Error(), "open files") != 1 {
		t.Errorf("error %v", err)
	}
}
