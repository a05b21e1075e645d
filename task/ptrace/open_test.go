//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"os"
	"testing"

	"stacksnap/task"
)

// TestOpeningIsTriedAgain: only what is between two programs, and not for ever.
func TestOpeningIsTriedAgain(t *testing.T) {
	between := noMemoryError{&task.NoProcessError{PID: 1}}
	other := errors.New("another reason")
	for _, tt := range []struct {
		name  string
		each  func(try int) error
		tries int
		want  error
	}{
		{"between two programs for ever", func(int) error { return between }, openTries, between},
		{"at the last try another reason", func(try int) error {
			if try == openTries {
				return other
			}
			return between
		}, openTries, other},
		{"another reason at once", func(int) error { return other }, 1, other},
		{"another reason later", func(try int) error {
			if try == 3 {
				return other
			}
			return between
		}, 3, other},
	} {
		tries := 0
		p, err := openWith(os.Getpid(), func(*Process, int) error { tries++; return tt.each(tries) })
		if p != nil || tries != tt.tries || !errors.Is(err, tt.want) {
			t.Errorf("%s: %d tries, want %d; %v", tt.name, tries, tt.tries, err)
		}
	}
}
