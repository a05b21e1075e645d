package cfi

import "testing"

// TestPointersOf32Bits stay such, whatever they are relative to.
func TestPointersOf32Bits(t *testing.T) {
	base := uint64(0x8000_0000)
	for size, want := range map[int]uint64{4: 0x1000, 8: 0x1_0000_1000} {
		c := cursor{data: []byte{0x00, 0x10, 0x00, 0x80}}
		if got, err := c.encoded(encDataRel|encUData4, size, bases{data: &base}); err != nil || got != want {
			t.Errorf("of %d bytes: %#x, %v, want %#x", size, got, err, want)
		}
	}
}
