package jitdump

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"stacksnap/images/generated"
	"stacksnap/images/object"
	"stacksnap/task/damage"
)

// check asks a few addresses: no name is of what it does not hold, nor a line of no
// name.
func check(t *testing.T, n *generated.Names) {
	t.Helper()
	for _, a := range []uint64{0, 0xfff, 0x1000, 0x1010, 0x1085, 0x10ff, 0x2008, 0x2045, 0x4001, 0x9010, 0x90ff, ^uint64(0)} {
		s, ok := n.Symbol(a)
		if ok && (a < s.VMAddr || a-s.VMAddr >= s.Size || s.Name == "") {
			t.Fatalf("%#x is in %+v", a, s)
		}
		if l := n.Source(a); len(l) > 0 && (!ok || l[0].Line <= 0 || l[0].File == "") {
			t.Fatalf("%#x is at %+v, in %+v", a, l, s)
		}
	}
}

// Dumps that were good before are read without a panic, in every test run, also where
// they go on from what was read of another.
func TestDamagedDumps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 4000 {
		good := whole(orders[i%2])
		f, reader := reading(damage.Copy(r, good))
		for range 2 {
			if reader.Update() == nil {
				check(t, reader.Names())
			}
			f.set(append(bytes.Clone(f.data), damage.Copy(r, good[headerSize:])...))
		}
	}
}

// FuzzDump reads a file in two parts, and wants what reading it at once gives.
func FuzzDump(f *testing.F) {
	f.Add(whole(binary.LittleEndian), 60)
	f.Add(whole(binary.BigEndian), 300)
	f.Add(begin(binary.LittleEndian, reservedOfV8, 8).load(0x1000, 0x20, 1, "JS:*f a.js:1:2").b, 10)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		_, once := reading(data)
		file, twice := reading(data[:min(max(0, at), len(data))])
		first := twice.Update()
		check(t, twice.Names())
		file.set(data)
		second := twice.Update()
		if err := once.Update(); (err == nil) != (first == nil && second == nil) {
			t.Fatalf("%v at once, %v and %v in parts", err, first, second)
		}
		check(t, once.Names())
		for a := uint64(0xff0); a < 0xa000; a += 0x13 {
			if s, _ := once.Names().Symbol(a); s != symbolAt(twice, a) {
				t.Fatalf("%#x is %+v at once, %+v in parts", a, s, symbolAt(twice, a))
			}
		}
	})
}

func symbolAt(r *generated.Reader, a uint64) object.Symbol {
	s, _ := r.Names().Symbol(a)
	return s
}
