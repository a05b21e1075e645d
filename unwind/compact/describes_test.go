package compact

import (
	"testing"

	"stacksnap/task"
)

func TestDescribes(t *testing.T) {
	for _, c := range []struct {
		encoding Encoding
		arch     task.Arch
		want     bool
	}{
		{0x01000000, task.AMD64, true},
		{0x51000000, task.AMD64, true},  // with an LSDA and a personality
		{0x81000000, task.AMD64, false}, // not the start
		{0x04000010, task.AMD64, false}, // __eh_frame tells
		{0x04000000, task.ARM64, true},
		{0x03000010, task.ARM64, false}, // __eh_frame tells
		{0x00000000, task.ARM64, false}, // nothing does
	} {
		if got := c.encoding.Describes(c.arch); got != c.want {
			t.Errorf("%#x of %v: %v", uint32(c.encoding), c.arch, got)
		}
	}
}
