package dwarf

import (
	"bytes"
	"encoding/binary"
	"iter"
	"maps"
	"strings"
	"testing"

	"stacksnap/images/object"
)

func opened(sections map[string][]byte) Sections {
	return func(name string) Section {
		if b, ok := sections[name]; ok {
			return Bytes(b)
		}
		return nil
	}
}

// splitIn gives files for a split unit of any name.
func splitIn(files ...map[string][]byte) func(dir, name string) iter.Seq[Sections] {
	return func(dir, name string) iter.Seq[Sections] {
		return func(yield func(Sections) bool) {
			for _, f := range files {
				if !yield(opened(f)) {
					return
				}
			}
		}
	}
}

// TestSplit finds the entries in a file of their own, behind one of another build.
func TestSplit(t *testing.T) {
	for _, version := range []string{"4", "5"} {
		d, _ := elfData(t, "testdata/split-"+version+".so", object.NewBudget(1<<20, 1<<20))
		dwo := sectionsOf(t, "testdata/split-"+version+".dwo")
		d.Related.Split = func(dir, name string) iter.Seq[Sections] {
			if dir != "/src" || name != "split-"+version+".dwo" {
				t.Errorf("%s in %s", name, dir)
			}
			return splitIn(anotherBuild(t, dwo, version), dwo)(dir, name)
		}
		wantNested(t, "split-"+version, d)
	}
}

// anotherBuild is a copy whose id differs.
func anotherBuild(t *testing.T, dwo map[string][]byte, version string) map[string][]byte {
	t.Helper()
	copied := maps.Clone(dwo)
	id := splitID(t, version)
	info := bytes.Replace(dwo["info.dwo"], id, []byte("another!"), 1)
	if bytes.Equal(info, dwo["info.dwo"]) {
		t.Fatalf("no id %x", id)
	}
	copied["info.dwo"] = info
	return copied
}

// splitID returns the id that a skeleton has.
func splitID(t *testing.T, version string) []byte {
	t.Helper()
	d, _ := elfData(t, "testdata/split-"+version+".so", nil)
	d.listUnits()
	if len(d.units) != 1 {
		t.Fatalf("%d units", len(d.units))
	}
	return binary.LittleEndian.AppendUint64(nil, d.load(d.units[0]).id(d.units[0]))
}

// TestSplitMissing tells lines alone where the split unit is not there, and asks for it
// once only.
func TestSplitMissing(t *testing.T) {
	for _, version := range []string{"4", "5"} {
		d, _ := elfData(t, "testdata/split-"+version+".so", nil)
		asked := 0
		d.Related.Package = func() Sections { asked++; return nil }
		d.Related.Split = func(dir, name string) iter.Seq[Sections] {
			asked++
			return splitIn(anotherBuild(t, sectionsOf(t, "testdata/split-"+version+".dwo"), version))(dir, name)
		}
		for range 3 {
			if f := d.Frames(0x1040); len(f) != 1 || f[0].Function != "" || f[0].Line != 9 || f[0].File != "/src/nested.c" {
				t.Errorf("version %s: %+v", version, f)
			}
		}
		if asked != 2 {
			t.Errorf("asked %d times", asked)
		}
	}
}

// TestPackage takes the entries from a package: llvm-dwp's, and one whose parts stand
// behind those of another unit.
func TestPackage(t *testing.T) {
	for name, c := range map[string]struct {
		version  string
		sections map[string][]byte
	}{
		"llvm-dwp":        {"4", sectionsOf(t, "testdata/split-4.dwp")},
		"with index of 2": {"4", packed(t, "4")},
		"with index of 5": {"5", packed(t, "5")},
	} {
		d, _ := elfData(t, "testdata/split-"+c.version+".so", object.NewBudget(1<<20, 1<<20))
		d.Related.Package = func() Sections { return opened(c.sections) }
		d.Related.Split = func(string, string) iter.Seq[Sections] {
			t.Errorf("%s: the file of the split unit was asked for", name)
			return splitIn()("", "")
		}
		wantNested(t, name, d)
		// Of a unit that it has not the file is asked for.
		without := maps.Clone(c.sections)
		without["cu_index"] = bytes.Replace(without["cu_index"], splitID(t, c.version), []byte("another!"), 1)
		d, _ = elfData(t, "testdata/split-"+c.version+".so", nil)
		d.Related = Related{
			Package: func() Sections { return opened(without) },
			Split:   splitIn(sectionsOf(t, "testdata/split-"+c.version+".dwo")),
		}
		wantNested(t, name+", of another build", d)
	}
}

// packed makes a package of a fixture in which something stands before each part.
func packed(t *testing.T, version string) map[string][]byte {
	t.Helper()
	sections := sectionsOf(t, "testdata/split-"+version+".dwo")
	var ids, offsets, sizes raw
	for _, column := range []struct {
		id   uint32
		name string
	}{{columnRngLists, "rnglists.dwo"}, {columnAbbrev, "abbrev.dwo"}, {columnInfo, "info.dwo"}, {columnStrOffsets, "str_offsets.dwo"}} {
		if column.id == columnRngLists && version == "4" {
			column.id = 5 // of locations, which nobody asks for
		}
		before := 16 * (1 + len(ids))
		ids = ids.u32(column.id)
		offsets = offsets.u32(uint32(before))
		sizes = sizes.u32(uint32(len(sections[column.name])))
		sections[column.name] = append(bytes.Repeat([]byte{0xff}, before), sections[column.name]...)
	}
	v := raw{}.u16(5).u16(0)
	if version == "4" {
		v = raw{}.u32(2)
	}
	const slots = 4
	hashes, rows := make([]byte, 8*slots), make([]byte, 4*slots)
	id := splitID(t, version)
	key := binary.LittleEndian.Uint64(id)
	first := key & (slots - 1)
	at := (first + (key>>32&(slots-1) | 1)) & (slots - 1) // another has the first slot
	copy(hashes[8*first:], "another!")
	rows[4*first], rows[4*at] = 1, 2
	copy(hashes[8*at:], id)
	index := append(v.u32(4).u32(2).u32(slots), hashes...)
	index = append(append(append(index, rows...), ids...), make([]byte, 16)...) // row 1 has nothing
	sections["cu_index"] = append(append(append(index, offsets...), make([]byte, 16)...), sizes...)
	return sections
}

// TestSupplement takes names from the file that dwz has made, and knows the lines
// without it. A supplementary file that names itself is not followed.
func TestSupplement(t *testing.T) {
	d, _ := elfData(t, "testdata/shared.so", object.NewBudget(1<<20, 1<<20))
	asked := 0
	d.Related.Supplement = func() Sections {
		asked++
		return opened(sectionsOf(t, "testdata/shared.sup"))
	}
	wantNested(t, "shared", d)
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	for name, related := range map[string]Related{
		"none":   {},
		"nil":    {Supplement: func() Sections { return nil }},
		"itself": {Supplement: func() Sections { return opened(sectionsOf(t, "testdata/shared.so")) }},
	} {
		d, _ := elfData(t, "testdata/shared.so", object.NewBudget(1<<20, 1<<20))
		d.Related = related
		f := d.Frames(0x1040)
		if len(f) != 3 || f[0].Line != 9 || strings.Contains(f[0].Function, "leaf") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestSplitCircle has split files that are the file itself, and a package of itself.
func TestSplitCircle(t *testing.T) {
	for _, version := range []string{"4", "5"} {
		own := sectionsOf(t, "testdata/split-"+version+".so")
		for name, b := range maps.Clone(own) {
			own[name+".dwo"] = b
		}
		d, _ := elfData(t, "testdata/split-"+version+".so", object.NewBudget(1<<20, 1<<20))
		d.Related = Related{Split: splitIn(own, own), Package: func() Sections { return opened(own) }}
		if f := d.Frames(0x1040); len(f) != 1 || f[0].Line != 9 {
			t.Errorf("version %s: %+v", version, f)
		}
	}
}
