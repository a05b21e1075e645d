package top

import (
	"testing"
	"unicode/utf8"
)

// TestHelpFits into 24 lines of 80 columns.
func TestHelpFits(t *testing.T) {
	page := helpPage(true)
	if len(page) > 24 {
		t.Errorf("%d lines", len(page))
	}
	for _, l := range page {
		n := 0
		for _, s := range l.spans {
			n += utf8.RuneCountInString(s.text)
		}
		if n > 80 {
			t.Errorf("%d columns: %v", n, l.spans)
		}
	}
}
