package crash

import (
	"bufio"
	"bytes"
	"testing"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
)

func read(t *testing.T, text []byte) *profile.Profile {
	t.Helper()
	p, err := readOne(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// readOne reads a report of either kind.
func readOne(text []byte) (*profile.Profile, error) {
	from, head := bufio.NewReader(bytes.NewReader(text)), text[:min(len(text), notation.HeadSize)]
	switch {
	case IsIPS(head):
		return ReadIPS(from)
	case IsText(head):
		return ReadText(from)
	}
	return nil, ErrNotReport
}
