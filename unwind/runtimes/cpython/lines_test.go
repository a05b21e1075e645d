package cpython

import "testing"

func TestLines(t *testing.T) {
	for _, c := range []struct {
		format lineFormat
		table  string
		offset int
		want   int
	}{
		{oldLines, "", 5, 10},
		{oldLines, "\x04\x01\x06\xfe", 3, 10},
		{oldLines, "\x04\x01\x06\xfe", 4, 11},
		{oldLines, "\x04\x01\x06\xfe", 10, 9},
		{oldLines, "\x00\x7f\x00\x7f\x04\x01", 0, 264}, // further than a byte says
		{oldLines, "\x04", 9, 10},
		{oldLines, "\x00\x80", 0, 0}, // no line is negative
		{deltaLines, "\x04\x01\x06\xfe", 3, 11},
		{deltaLines, "\x04\x01\x06\xfe", 4, 9},
		{deltaLines, "\x04\x01\x06\xfe", 10, 0},
		{deltaLines, "\x02\x01\x02\x80\x02\x00", 2, 0}, // without a line
		{deltaLines, "\x02\x01\x02\x80\x02\x00", 4, 11},
		{deltaLines, "\x02\x01", -2, 10},
		{locations, "", 0, 0},
		{locations, "\xd8\x00\x00\xe0\x00\x00", 0, 11}, // one line further, one unit
		{locations, "\xd1\x00\x00\x80\x11", 3, 10},     // the same line, two units
		{locations, "\xd8\x00\x00\xf8\x80\x11", 2, 0},  // no place
		{locations, "\xd8\x00\x00\xf8\x80\x11", 4, 11},
		{locations, "\xe8\x05", 0, 8},              // signed: two back
		{locations, "\xe8\x48\x01", 0, 46},         // two groups of bits
		{locations, "\xf0\x04\x01\x02\x03", 1, 12}, // the long form
		{locations, "\xe8\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f", 0, 0},
		{locations, "\x01\x02\x03", 9, 0}, // no head
	} {
		if got := c.format.lineAt([]byte(c.table), 10, c.offset); got != c.want {
			t.Errorf("format %d, table %q, offset %d: line %d, not %d", c.format, c.table, c.offset, got, c.want)
		}
	}
}
