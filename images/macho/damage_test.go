package macho

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/task"
	"stacksnap/task/damage"
)

// Files that were good before are read without a panic, in every test run.
func TestDamagedFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, l := range layouts {
		im := synthetic(l.order, l.is64, l.cpu)
		im.Starts = startsOf(machotest.Text, 0x20, 0x20)
		im.DataInCode = dataOf(machotest.Text, 8)
		good := im.Encode()
		for range 1500 {
			b := damage.Copy(r, good)
			if r.IntN(2) == 0 { // most of what is read first stands there
				b = damage.Copy(r, good[:min(len(good), 0x600)])
				b = append(b, good[len(b):]...)
			}
			if f, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{Arch: task.UnknownArch}); err == nil {
				exercise(t, f)
			}
		}
	}
}

// A cursor gives all bytes that there are, and zeros behind them.
func TestCursorEnds(t *testing.T) {
	c := cursor{data: []byte{1, 2, 3, 4, 5}, order: layouts[0].order}
	if got := c.bytes(5); len(got) != 5 || c.short || len(c.data) != 0 {
		t.Errorf("% x, short %v", got, c.short)
	}
	if got := c.bytes(1); got[0] != 0 || !c.short {
		t.Errorf("% x, short %v", got, c.short)
	}
}
