package macho

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"stacksnap/images/object"
)

// TestChainedBounds: what is read ends with the load command's data, whatever the file
// has behind it.
func TestChainedBounds(t *testing.T) {
	const offset, size = 4, 16
	data := []byte("before0123456789abcdefbehind")[2:]
	f := &File{src: &fileSource{r: io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))}}
	f.chained = place{offset, size}
	for _, tt := range []struct {
		at   uint64
		n    int
		want string // empty: not read
	}{
		{0, 4, "0123"}, {0, size, "0123456789abcdef"}, {0, size + 1, ""},
		{size - 4, 4, "cdef"}, {size - 3, 4, ""}, {size - 1, 1, "f"},
		{size, 1, ""}, {size + 1, 1, ""}, {1 << 40, 1, ""}, {^uint64(0), 1, ""}, {^uint64(0) - offset + 1, 4, ""},
	} {
		p := make([]byte, tt.n)
		if ok := f.readChainedAt(p, tt.at); ok != (tt.want != "") || ok && string(p) != tt.want {
			t.Errorf("%d bytes at %#x: %q, %t", tt.n, tt.at, p, ok)
		}
	}
}

// TestChainedFormats: one of each segment, as many as are told, up to where the data
// ends.
func TestChainedFormats(t *testing.T) {
	// dyld_chained_starts_in_image { u32 count, offsets }, and for one of the segments
	// dyld_chained_starts_in_segment { u32 size; u16 page_size, pointer_format }.
	data := []byte{3, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 24, 0, 0, 0, 0, 0x40, 6, 0, 0}
	f := &File{src: &fileSource{r: io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))}}
	f.order = binary.LittleEndian
	f.chained = place{0, 24}
	for segments, want := range map[int][]uint16{0: {}, 1: {6}, 2: {6, 0}, 3: {6, 0, 0}, 4: {6, 0, 0, 0}} {
		f.segments = make([]object.Segment, segments)
		got := f.chainedFormats(0)
		if len(got) != len(want) {
			t.Fatalf("%d segments: %v", segments, got)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%d segments: %v, want %v", segments, got, want)
			}
		}
	}
	f.segments = make([]object.Segment, 4)
	if got := f.chainedFormats(21); len(got) != 4 || got[0] != 0 {
		t.Errorf("of a count that is cut: %v", got)
	}
}
