package dwarf

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task/damage"
)

// exercise asks for addresses in and about the fixtures, within a budget, and calls
// for no more than it may.
func exercise(t testing.TB, sections map[string][]byte) {
	d := New(func(name string) Section {
		if b, ok := sections[name]; ok {
			return Bytes(b)
		}
		return nil
	}, object.NewBudget(16<<20, 16<<20))
	for a := uint64(0xff0); a < 0x10a0; a += 5 {
		frames := d.Frames(a)
		if len(frames) > maxNested+1 {
			t.Fatalf("%d frames", len(frames))
		}
		for _, f := range frames {
			if len(f.Function) > 2*maxString || f.Line < 0 || f.Column < 0 {
				t.Fatalf("%+v", f)
			}
		}
	}
	d.Frames(0)
	d.Frames(^uint64(0))
}

// TestDamaged reads sections that were good before without a panic, in every test run.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range fixtures {
		good := sectionsOf(t, name)
		names := slices.Sorted(maps.Keys(good))
		for range 10_000 {
			bad := maps.Clone(good)
			for _, n := range names {
				if r.IntN(3) == 0 {
					bad[n] = damage.Copy(r, good[n])
				}
			}
			exercise(t, bad)
		}
	}
}

// FuzzFrames edits one section of a good file.
func FuzzFrames(f *testing.F) {
	var good []map[string][]byte
	for i, name := range fixtures {
		good = append(good, sectionsOf(f, name))
		for section := range sectionNames {
			f.Add(uint8(i), uint8(section), []byte(nil))
		}
	}
	f.Fuzz(func(t *testing.T, which, section uint8, edits []byte) {
		bad := maps.Clone(good[int(which)%len(good)])
		name := sectionNames[int(section)%len(sectionNames)]
		bad[name] = damage.Edit(bad[name], edits)
		exercise(t, bad)
	})
}
