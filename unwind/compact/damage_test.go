package compact

import (
	"math/rand/v2"
	"testing"

	"stacksnap/task/damage"
)

// Tables that were good before are read without a panic, in every test run.
func TestDamagedTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	good := small()
	for range 20_000 {
		table, err := Parse(damage.Copy(r, good))
		if err != nil {
			continue
		}
		n := 0
		for range table.All() {
			if n++; n > 1<<12 {
				break
			}
		}
		for off := uint32(0); off < 0x3000; off += 0x80 {
			if e, err := table.Lookup(off); err == nil && (off < e.Start || off >= e.End) {
				t.Fatalf("%#x is not in %+v", off, e)
			}
		}
	}
}
