package words

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"stacksnap/format/internal/fixtures"
)

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "main", "a\x1b[31m", "\xff", "\\x1b", "é\u202e", fixtures.LongName()} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = 4 + limit&0xff
		got := Clean(s, limit)
		if n := utf8.RuneCountInString(got); n > (limit+1)*10 {
			t.Errorf("%d runes for a limit of %d", n, limit)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Errorf("clean(%q) = %q", s, got)
			}
		}
	})
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"main":          "main",
		`a\nb`:          `a\\nb`,
		"a\nb\tc\r":     `a\nb\tc\x0d`,
		"\x1b[2J":       `\x1b[2J`,
		"\xc3(":         `\xc3(`,
		"naïve ☃":       "naïve ☃",
		"\u202e\u0085":  `\u202e\u0085`,
		"\U000e0041":    `\U000e0041`,
		"\ufffd":        "\ufffd",
		"0123456789abc": "01234567…bc",
	} {
		if got := Clean(in, 10); got != want {
			t.Errorf("clean(%q) = %s, want %s", in, got, want)
		}
	}
}
