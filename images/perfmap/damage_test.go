package perfmap

import (
	"math/rand/v2"
	"testing"

	"stacksnap/task/damage"
)

// Maps that were good before are read without a panic, in every test run, also where
// they go on from what was read of another; and no name is of what it does not hold.
func TestDamagedMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	good := []byte("1000 100 f\n1040 10 g h\n7f0000001000 20 LazyCompile:~x /a.js:1:2\n0x2000 0x10 i\n1020 8 j\n")
	for range 5000 {
		m, reader := reading(string(damage.Copy(r, good)))
		for range 2 {
			if err := reader.Update(); err != nil {
				continue
			}
			n := reader.Names()
			for _, a := range []uint64{0, 0xfff, 0x1000, 0x1045, 0x10ff, 0x2008, 0x7f0000001010, ^uint64(0)} {
				if s, ok := n.Symbol(a); ok && (a < s.VMAddr || a-s.VMAddr >= s.Size || s.Name == "") {
					t.Fatalf("%#x is in %+v, of %q", a, s, m.data)
				}
			}
			m.set(m.data + string(damage.Copy(r, good)))
		}
	}
}
