package object

import (
	"fmt"
	"testing"
)

func names(i uint32) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("f%d", i)
}

func TestTable(t *testing.T) {
	table := NewTable([]Entry{
		{Name: 4, VMAddr: 0x300, Section: 1},
		{Name: 1, VMAddr: 0x100, Section: 1},
		{Name: 3, VMAddr: 0x200, Section: 1, Rank: 2},
		{Name: 2, VMAddr: 0x200, Section: 1, Rank: 1},
		{Name: 5, VMAddr: 0x400, Section: 2},
		// Section 3 has sizes: 6 holds 7 and a label, 9 comes after a gap.
		{Name: 6, VMAddr: 0x1000, Size: 0x100, Section: 3},
		{Name: 7, VMAddr: 0x1010, Size: 0x10, Section: 3},
		{Name: 8, VMAddr: 0x1080, Section: 3},
		{Name: 9, VMAddr: 0x1200, Section: 3},
		{Name: 10, VMAddr: 0x1300, Size: 8, Section: 3},
		{Name: 11, VMAddr: 0x1300, Size: 16, Section: 3},
		{Name: 0, VMAddr: 0x100, Section: 4},
		// In section 5 the nearest one has a name that is no answer.
		{Name: 12, VMAddr: 0x100, Section: 5},
		{Name: 13, VMAddr: 0x200, Section: 5},
		{Name: 14, VMAddr: 0x200, Section: 5},
		{Name: 0, VMAddr: 0x300, Section: 5},
	}, names)
	for _, test := range []struct {
		vmaddr  uint64
		section uint16
		want    string
	}{
		{0xff, 1, ""},
		{0x100, 1, "f1"},
		{0x1ff, 1, "f1"},
		{0x200, 1, "f2"}, // the lower rank
		{0x2ff, 1, "f2"},
		{0x300, 1, "f4"},
		{0xffff, 1, "f4"}, // to the section's end, which the caller knows
		{0x3ff, 2, ""},    // not the neighbour in section 1
		{0x400, 2, "f5"},
		{0x1000, 3, "f6"},
		{0x1018, 3, "f7"},
		{0x1020, 3, "f6"}, // the one around it
		{0x1090, 3, "f6"}, // a label inside a function is no function
		{0x1100, 3, ""},   // padding
		{0x1200, 3, "f9"},
		{0x12ff, 3, "f9"},
		{0x130f, 3, "f11"}, // the longer
		{0x1310, 3, ""},
		{0x100, 4, ""}, // no name
		{0x1ff, 5, "f12"},
		{0x200, 5, "f13"}, // the one that came first
		{0x300, 5, "f13"},
		{0x100, 6, ""},
	} {
		got, ok := table.Symbol(test.vmaddr, test.section)
		if got.Name != test.want || ok != (test.want != "") {
			t.Errorf("%#x in section %d: got %q, %v; want %q", test.vmaddr, test.section, got.Name, ok, test.want)
		}
	}
}

func TestTableOfNothing(t *testing.T) {
	if s, ok := NewTable(nil, names).Symbol(1, 0); ok {
		t.Errorf("found %v in an empty table", s)
	}
}

// TestAt gives what lies at one place, the preferred first.
func TestAt(t *testing.T) {
	table := NewTable([]Entry{
		{Name: 1, VMAddr: 0x100, Section: 1},
		{Name: 2, VMAddr: 0x200, Section: 1, Rank: 2},
		{Name: 3, VMAddr: 0x200, Section: 1, Rank: 1},
		{Name: 4, VMAddr: 0x200, Section: 1, Rank: 1, Size: 8},
		{Name: 5, VMAddr: 0x200, Section: 2},
		{Name: 6, VMAddr: 0x300, Section: 2},
	}, names)
	for _, tt := range []struct {
		vmaddr  uint64
		section uint16
		want    string
	}{
		{0x200, 1, "f4 f3 f2 "}, {0x200, 2, "f5 "}, {0x100, 1, "f1 "}, {0x300, 2, "f6 "},
		{0x180, 1, ""}, {0x80, 1, ""}, {0x400, 2, ""}, {0x200, 0, ""}, {0x200, 3, ""},
	} {
		got := ""
		for _, name := range table.At(tt.vmaddr, tt.section) {
			got += name + " "
		}
		if got != tt.want {
			t.Errorf("%#x of section %d has %q, want %q", tt.vmaddr, tt.section, got, tt.want)
		}
	}
}
