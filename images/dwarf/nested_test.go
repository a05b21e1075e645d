package dwarf

import (
	"debug/elf"
	"strings"
	"sync"
	"testing"

	"stacksnap/images/internal/llvmtest"
	"stacksnap/images/object"
)

// fixtures are what testdata/nested.c tells how to build.
var fixtures = []string{"testdata/nested-4.so", "testdata/nested-5.so"}

// nested is what llvm-symbolizer tells of the fixtures.
var nested = map[uint64]string{
	0xfff:  "",
	0x1000: "rare /src/nested.c:28:9",
	0x1005: "leaf /src/nested.c:9:16; rare /src/nested.c:28:9",
	0x1014: "rare /src/nested.c:29:1",
	0x1015: "root /src/nested.c:34:10",
	0x1020: "branch /src/nested.c:15:6; trunk /src/nested.c:23:9",
	0x1040: "leaf /src/nested.c:9:16; branch /src/nested.c:17:10; trunk /src/nested.c:23:9",
	0x1060: "leaf /src/nested.c:10:11; trunk /src/nested.c:23:21",
	0x1080: "root /src/nested.c:35:20",
	0x1090: "",
}

func wantNested(t *testing.T, name string, d *Data) {
	t.Helper()
	for a, want := range nested {
		if got := strings.TrimSuffix(llvmtest.Format(d.Frames(a)), "; "); got != want {
			t.Errorf("%s %#x: %q, want %q", name, a, got, want)
		}
	}
}

func TestNested(t *testing.T) {
	for _, name := range fixtures {
		d, _ := elfData(t, name, object.NewBudget(1<<20, 1<<20))
		wantNested(t, name, d)
		if f := d.Frames(0x1016); len(f) != 1 || f[0].Low != 0x1015 || f[0].High <= 0x1016 {
			t.Errorf("%s: the cold part of root: %+v", name, f)
		}
	}
}

// TestConcurrent asks from several goroutines, which the race detector watches.
func TestConcurrent(t *testing.T) {
	d, _ := elfData(t, fixtures[1], nil)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for a := uint64(0x1000); a < 0x1090; a++ {
				d.Frames(a)
			}
		})
	}
	all.Wait()
}

// TestFromMemory reads sections that are in memory as it does those of a file.
func TestFromMemory(t *testing.T) {
	d, f := elfData(t, fixtures[1], nil)
	sections := f.Sections
	m := New(func(name string) Section {
		for _, s := range sections {
			if s.Name == ".debug_"+name {
				b, _ := s.Data()
				return Bytes(b)
			}
		}
		return nil
	}, nil)
	for a := uint64(0x1000); a < 0x1090; a++ {
		if got, want := llvmtest.Format(m.Frames(a)), llvmtest.Format(d.Frames(a)); got != want {
			t.Errorf("%#x: %q, want %q", a, got, want)
		}
	}
}

// TestBudget keeps to what may be read and kept, and leaves out the rest.
func TestBudget(t *testing.T) {
	for _, b := range []*object.Budget{object.NewBudget(0, 1<<20), object.NewBudget(1<<20, 0), object.NewBudget(2000, 3000)} {
		d, _ := elfData(t, fixtures[0], b)
		for a := uint64(0x1000); a < 0x1090; a += 4 {
			d.Frames(a)
		}
		if !b.Reached() {
			t.Error("the budget was not reached")
		}
	}
	if d := New(func(string) Section { return nil }, nil); d.Frames(1) != nil {
		t.Error("frames of a file without debugging information")
	}
}

// sectionsOf returns the debugging sections of a file, by name.
func sectionsOf(t testing.TB, path string) map[string][]byte {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	sections := map[string][]byte{}
	for _, s := range f.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".debug_"); ok {
			if sections[name], err = s.Data(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return sections
}
