package damage

import "testing"

func TestEdit(t *testing.T) {
	const good = "0123456789"
	for _, c := range []struct{ edits, want string }{
		{"", good},
		{"\x03\x00\x00x", "012x456789"},
		{"\x03\x00\x00x\x0b\x00\x00y", "0y2x456789"}, // modulo the size
		{"\x03\x00\x00", good},
		{"\x04\x00\x80x", "0123"},
		{"\x04\x00\x80x\x05\x00\x00y", "0y23"},
		{"\x00\x00\x80x\x05\x00\x00y", ""},
	} {
		if got := string(Edit([]byte(good), []byte(c.edits))); got != c.want {
			t.Errorf("%q: %q, want %q", c.edits, got, c.want)
		}
	}
}
