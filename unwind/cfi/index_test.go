package cfi

import "testing"

// Each FDE is read by its own CIE, also where they take turns, and a terminator ends
// nothing.
func TestIndexOfSeveralCIEs(t *testing.T) {
	b := builder{eh: true}
	plain := b.cie("", nil, standard...)
	relative := b.cie("zR", []byte{encPCRel | encAbsolute}, standard...)
	b.fde(plain, 0x1000, 0x100)
	at := 0x5000 + uint64(len(b.b)) + 8
	b.fde(relative, 0x2000-at, 0x100, 0)
	b.b = append(b.b, 0, 0, 0, 0)
	b.fde(plain, 0x3000, 0x100)
	ix, err := newIndex(b.section())
	if err != nil || len(ix) != 3 {
		t.Fatalf("%+v, %v", ix, err)
	}
	for i, s := range ix {
		if want := uint64(i+1) * 0x1000; s.start != want || s.end != want+0x100 {
			t.Errorf("%d: %+v", i, s)
		}
	}
}
