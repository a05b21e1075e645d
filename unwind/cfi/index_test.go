package cfi

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"stacksnap/task/damage"
)

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
		if want := uint64(i+1) * 0x1000; s.start != want || s.size != 0x100 {
			t.Errorf("%d: %+v", i, s)
		}
	}
}

// TestQuick: what compilers write is read at once.
func TestQuick(t *testing.T) {
	for _, eh := range []bool{true, false} {
		for _, encoding := range []uint8{encAbsolute, encPCRel, encPCRel | encSData4, encUData4, encPCRel | encSData8} {
			b := builder{eh: eh}
			off := b.fde(b.cie("zR", []byte{encoding}, standard...), 0x10_0000_0010, 0x10_0000_0020)
			s := b.section()
			ci, err := s.cieAt(0)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, next := ci.quick(s, off); next != len(b.b) {
				t.Errorf("encoding %#x: the next entry is at %d, want %d", encoding, next, len(b.b))
			}
			if _, _, next := ci.quick(s, 0); next != 0 {
				t.Errorf("encoding %#x: the CIE is taken for an FDE", encoding)
			}
		}
	}
}

// TestIndexOfAnySection: reading many at once, and sorting without comparing, gives what
// reading every entry by itself and a stable sort give, whatever the section has.
func TestIndexOfAnySection(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		b := anySection(r)
		s := &section{Section: b.section().Section, eh: b.eh, pointerSize: 4 << r.IntN(2)}
		for range 4 {
			got, gotErr := newIndex(s)
			want, wantErr := indexOneByOne(s)
			if !slices.Equal(got, want) || (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
				t.Fatalf("%+v, %v\nof % x, want\n%+v, %v", got, gotErr, s.Data, want, wantErr)
			}
			s.Data = damage.Copy(r, b.b)
		}
	}
}

// anySection has a few CIEs of various encodings, and FDEs of each, in no order.
func anySection(r *rand.Rand) builder {
	b := builder{eh: r.IntN(2) == 0}
	var cies []int
	for range 20 + r.IntN(20) {
		b.wide = r.IntN(20) == 0
		switch n := r.IntN(12); {
		case len(cies) == 0, n == 0:
			format := [...]uint8{encAbsolute, encUData2, encUData4, encUData8, encSigned, encSData2, encSData4, encSData8, encULEB, encOmit}[r.IntN(10)]
			base := [...]uint8{0, encPCRel, encDataRel, encAligned, encIndirect | encPCRel}[r.IntN(5)]
			cies = append(cies, b.cie("zR", []byte{format | base}, standard...))
		case n == 1:
			b.b = append(b.b, 0, 0, 0, 0)
		default:
			body := make([]byte, r.IntN(24))
			for i := range body {
				body[i] = [...]uint8{0, 0, 0, 0xff, uint8(r.Uint32())}[r.IntN(5)]
			}
			b.entry(cies[max(0, len(cies)-1-r.IntN(8)/6)], body...)
		}
	}
	return b
}

func indexOneByOne(s *section) (ix index, first error) {
	for off := 0; off < len(s.Data); {
		e, err := s.entry(off)
		if err == nil && !e.zero && e.cie != -1 {
			var start, end uint64
			if start, end, err = s.oneRange(e); err == nil && start != 0 && start < end {
				ix = append(ix, span{start, uint32(min(end-start, 1<<32-1)), uint32(e.off)})
			}
		}
		first = cmp.Or(first, err)
		if e.next <= off {
			break
		}
		off = e.next
	}
	slices.SortStableFunc(ix, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return ix, first
}

func (s *section) oneRange(e entry) (start, end uint64, err error) {
	ci, err := s.cieAt(e.cie)
	if err != nil {
		return 0, 0, err
	}
	start, end, err = ci.readRange(&e.body)
	if err == nil && e.body.bad {
		err = errMalformed
	}
	return start, end, err
}

// TestSorted: by as many digits as the starts are apart, and equal starts as they come.
func TestSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for bits := range 65 {
		for _, n := range []int{0, 1, 2, 3, 100} {
			ix := make(index, n)
			for i := range ix {
				ix[i] = span{start: r.Uint64() >> (64 - bits), off: uint32(i)}
			}
			want := slices.Clone(ix)
			slices.SortStableFunc(want, func(a, b span) int { return cmp.Compare(a.start, b.start) })
			if got := ix.sorted(); !slices.Equal(got, want) {
				t.Errorf("of %d bits: %+v, want %+v", bits, got, want)
			}
		}
	}
}

// TestIndexOfCodeThatWraps: code beyond the end of the address space is none.
func TestIndexOfCodeThatWraps(t *testing.T) {
	var b builder
	cie := b.cie("", nil, standard...)
	b.fde(cie, 0x1000, 0x100)
	b.fde(cie, 1<<64-0x80, 0x100)
	b.fde(cie, 0x2000, 0x100)
	if ix, err := newIndex(b.section()); !errors.Is(err, errMalformed) || !fails(err, "length 0x100") || len(ix) != 2 {
		t.Errorf("%+v, %v", ix, err)
	}
}
