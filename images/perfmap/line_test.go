package perfmap

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseLine(t *testing.T) {
	long := strings.Repeat("é", maxName)
	for line, want := range map[string]entry{
		"1000 20 f":                             {0x1000, 0x1020, "f"},
		"7f00aB 1f LazyCompile:*fib /a b.js:1 ": {0x7f00ab, 0x7f00ca, "LazyCompile:*fib /a b.js:1"},
		"0x00007f0000001000 0X10 Lfoo;::bar\r":  {0x7f0000001000, 0x7f0000001010, "Lfoo;::bar"},
		"ffffffffffffffff 0":                    {},
		"ffffffffffffff00 ff last":              {0xffffffffffffff00, ^uint64(0), "last"},
		"ffffffffffffff00 101 beyond":           {},
		"1000 0 empty":                          {},
		"1000 20":                               {},
		"1000 20 ":                              {},
		"1000":                                  {},
		"":                                      {},
		"0x 20 f":                               {},
		"10001000100010001 20 f":                {},
		"1000\t20\tf":                           {},
		" 1000 20 f":                            {},
		"-1 20 f":                               {},
		"1000   20   f":                         {0x1000, 0x1020, "f"},
		"1 1 " + long:                           {1, 2, long[:maxName] + cutMark},
		"1 1 x" + long:                          {1, 2, "x" + long[:maxName-2] + cutMark},
		"1 1 " + strings.Repeat("\x80", 2*maxName): {1, 2, strings.Repeat("\x80", maxName-utf8.UTFMax) + cutMark},
	} {
		got, ok := parseLine([]byte(line))
		if got != want || ok != (want.name != "") {
			t.Errorf("%.40q: %x-%x %q, %v", line, got.start, got.end, got.name, ok)
		}
	}
}
