package protobuf

import (
	"encoding/binary"
	"testing"
)

// TestUvarintLen is as many bytes as are written.
func TestUvarintLen(t *testing.T) {
	for _, v := range []uint64{0, 1, 127, 128, 129, 1<<14 - 1, 1 << 14, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		if got, want := uvarintLen(v), len(binary.AppendUvarint(nil, v)); got != want {
			t.Errorf("%d: %d bytes, want %d", v, got, want)
		}
	}
}
