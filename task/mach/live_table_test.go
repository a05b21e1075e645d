package mach

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestEveryCallIsInTheLiveTable: a function of mach.h that no test calls on a live
// system is forgotten.
func TestEveryCallIsInTheLiveTable(t *testing.T) {
	declared := namesIn(t, "mach.h", `(?m)^\w[\w ]* \*?(mk_\w+)\(`)
	called := namesIn(t, "live_darwin_test.go", `\{"(mk_\w+)", func`)
	if len(declared) < 30 {
		t.Fatalf("only %d functions are declared: %v", len(declared), declared)
	}
	for _, name := range declared {
		if !slices.Contains(called, name) {
			t.Errorf("%s of mach.h is not in liveCalls (live_darwin_test.go)", name)
		}
	}
	for _, name := range called {
		if !slices.Contains(declared, name) {
			t.Errorf("%s of liveCalls is not in mach.h", name)
		}
	}
}

func namesIn(t *testing.T, file, pattern string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(b, -1) {
		names = append(names, string(m[1]))
	}
	return names
}
