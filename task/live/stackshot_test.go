//go:build !darwin

package live

import (
	"errors"
	"testing"

	"stacksnap/task/stackshot"
)

func TestNoStackshotsHere(t *testing.T) {
	if s, err := Stackshots(1); s != nil || !errors.Is(err, stackshot.ErrNoSource) {
		t.Errorf("%v, %v", s, err)
	}
}
