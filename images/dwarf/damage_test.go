package dwarf

import (
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task/damage"
)

// exercise asks for addresses in and about the fixtures, within a budget, and calls
// for no more than it may. The file's split units, their package and its supplementary
// file are all the other one, which has the sections that begin with a dot.
func exercise(t testing.TB, sections map[string][]byte) {
	d := New(opened(sections), object.NewBudget(16<<20, 16<<20))
	other := func() Sections {
		return func(name string) Section { return opened(sections)("." + name) }
	}
	d.Related = Related{
		Split:      func(_, _ string) iter.Seq[Sections] { return slices.Values([]Sections{other(), other()}) },
		Package:    other,
		Supplement: other,
	}
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
	for _, good := range wholes(t) {
		names := slices.Sorted(maps.Keys(good))
		for range 5_000 {
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

// wholes returns the sections of the fixtures, and with a dot before their names those
// of the file that belongs to each.
func wholes(t testing.TB) []map[string][]byte {
	t.Helper()
	var all []map[string][]byte
	for _, names := range [][2]string{
		{"nested-4.so"}, {"nested-5.so"}, {"split-4.so", "split-4.dwo"}, {"split-5.so", "split-5.dwo"},
		{"split-4.so", "split-4.dwp"}, {"shared.so", "shared.sup"},
	} {
		sections := sectionsOf(t, "testdata/"+names[0])
		if names[1] != "" {
			for name, b := range sectionsOf(t, "testdata/"+names[1]) {
				sections["."+name] = b
			}
		}
		all = append(all, sections)
	}
	return all
}

// FuzzFrames edits one section of a good file.
func FuzzFrames(f *testing.F) {
	good := wholes(f)
	for i := range good {
		for section := range len(good[i]) {
			f.Add(uint8(i), uint8(section), []byte(nil))
		}
	}
	f.Fuzz(func(t *testing.T, which, section uint8, edits []byte) {
		bad := maps.Clone(good[int(which)%len(good)])
		names := slices.Sorted(maps.Keys(bad))
		name := names[int(section)%len(names)]
		bad[name] = damage.Edit(bad[name], edits)
		exercise(t, bad)
	})
}
