package elfcore_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"stacksnap/task"
	"stacksnap/task/damage"
	"stacksnap/task/elfcore"
)

// Cores that were good before are read without a panic, in every test run.
func TestDamagedCores(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	im := everything(machineX86_64, 8, 27)
	im.notes = append(im.notes, hit(44, 11, 1, 0x10)...)
	im.segments = im.segments[2:]
	good := im.bytes()
	var s task.Snapshot // its buffers are kept
	for range 1500 {
		b := damage.Copy(r, good)
		p, err := elfcore.New(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			continue
		}
		_ = task.Take(p, &s)
		for range p.Regions() {
		}
		ids, _ := p.Threads()
		for _, id := range ids {
			_, _ = p.Syscall(id)
		}
		_ = p.Close()
	}
}
