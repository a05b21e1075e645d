package recording

import (
	"bytes"
	"errors"
	"testing"
)

// TestEmptyBlocks are refused: a few megabytes could hold a billion.
func TestEmptyBlocks(t *testing.T) {
	file := compressed(t, magic+"1\n"+string(make([]byte, 1<<20)))
	_, err := NewReader(bytes.NewReader(file))
	if !errors.Is(err, errWire) {
		t.Errorf("error %v", err)
	}
}
