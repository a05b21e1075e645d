package macho

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/object"
	"stacksnap/task/damage"
)

// exerciseMethods asks for the methods of a file and of a memory with the same bytes.
func exerciseMethods(t *testing.T, b []byte) {
	if f, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{}); err == nil {
		exerciseCode(t, f)
	}
	m := &machotest.Memory{}
	m.Add(load, b)
	if f, err := FromMemory(m, load, nil); err == nil {
		f.SetSharedCache(load)
		exerciseCode(t, f)
	}
}

func exerciseCode(t *testing.T, f *File) {
	budget := object.NewBudget(1<<20, 1<<22)
	f.Limit(budget)
	for i := range f.sections[:min(len(f.sections), 8)] {
		s := &f.sections[i]
		for n := range uint64(32) {
			at := s.VMAddr + s.Size/32*n
			if sym, ok := f.Symbol(at); ok && (sym.VMAddr > at || strings.ContainsAny(sym.Name, "\x00\n")) {
				t.Errorf("%#x: %+v", at, sym)
			}
		}
	}
	f.Close()
	if !budget.Keep(1<<20) || !budget.Read(1<<22) {
		t.Error("the budget is not given back")
	}
}

func strippedFixtures(t testing.TB) (all [][]byte) {
	for _, name := range []string{"chained.arm64", "chained.x86_64", "classic.arm64", "classic.x86_64"} {
		all = append(all, without(readFixture(t, "testdata/objc/"+name+".dylib"), lcSymtab, lcDysymtab))
	}
	return all
}

// TestDamagedMethods changes the class metadata, and where dyld is told of them.
func TestDamagedMethods(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, good := range strippedFixtures(t) {
		f := thin(t, good)
		places := []place{f.binds, f.lazyBinds, f.chained}
		for i := range f.sections {
			if s := &f.sections[i]; strings.HasPrefix(s.Name, "__objc") {
				places = append(places, place{uint64(s.Offset), s.Size})
			}
		}
		for range 1500 {
			b := bytes.Clone(good)
			for range 1 + r.IntN(4) {
				if p := places[r.IntN(len(places))]; p.size > 0 {
					part := b[p.offset:][:p.size]
					copy(part, damage.Copy(r, part))
				}
			}
			if r.IntN(8) == 0 {
				b = b[:r.IntN(len(b))]
			}
			exerciseMethods(t, b)
		}
	}
}

// TestEndlessLists: whatever counts are told, the work is bounded.
func TestEndlessLists(t *testing.T) {
	for _, good := range strippedFixtures(t) {
		f := thin(t, good)
		b := bytes.Clone(good)
		for i := range f.sections {
			s := &f.sections[i]
			if s.Name != "__objc_const" && s.Name != "__objc_methlist" {
				continue
			}
			// Each word that may be the size and the count of a list has the largest count.
			for off := uint64(s.Offset); off+8 <= uint64(s.Offset)+s.Size; off += 4 {
				if v := binary.LittleEndian.Uint32(b[off:]) & 0xffff; v == 24 || v == 12 {
					binary.LittleEndian.PutUint32(b[off+4:], 1<<16)
				}
			}
		}
		exerciseMethods(t, b)
	}
}

func FuzzMethods(f *testing.F) {
	good := strippedFixtures(f)
	for i := range good {
		f.Add(uint8(i), []byte(nil))
	}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		exerciseMethods(t, damage.Edit(good[int(which)%len(good)], edits))
	})
}
