package swift

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// listsVariable names a folder with test/Demangle/Inputs of the Swift repository.
const listsVariable = "STACKSNAP_SWIFT_MANGLINGS"

// class is what swift-demangle -classify puts before a name: no part of it.
var class = regexp.MustCompile(`^\{[^}]*\} `)

// TestLists renders the Swift repository's own lists. The limits are how many lines
// came out exactly equal with those of Swift 6.2.3.
func TestLists(t *testing.T) {
	dir := needs.Variable(t, listsVariable, "a folder with the Swift repository's test/Demangle/Inputs")
	for _, list := range []struct {
		file     string
		demangle func(string) (string, bool)
		least    int
	}{
		{"manglings.txt", Demangle, 495},
		{"simplified-manglings.txt", Simplify, 216},
		{"manglings-with-clang-types.txt", Demangle, 2},
	} {
		t.Run(list.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, list.file))
			if err != nil {
				t.Fatal(err)
			}
			equal, lines := 0, 0
			for line := range strings.Lines(string(text)) {
				symbol, want, ok := strings.Cut(line, "--->")
				if !ok {
					continue
				}
				lines++
				symbol = strings.TrimSpace(symbol)
				want = class.ReplaceAllString(strings.TrimSpace(want), "")
				got, ok := list.demangle(symbol)
				if !ok {
					got = symbol // as the tool prints what it can't read
				}
				if got == want {
					equal++
				} else {
					t.Logf("%s\n got %s\nwant %s", symbol, got, want)
				}
			}
			t.Logf("%d of %d lines are equal", equal, lines)
			if equal < list.least {
				t.Errorf("%d of %d lines are equal, want %d", equal, lines, list.least)
			}
		})
	}
}
