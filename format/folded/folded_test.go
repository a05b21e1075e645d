package folded

import (
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/profile"
)

func TestFoldedNames(t *testing.T) {
	for in, want := range map[string]string{
		"main": "main", "a;b": "a:b", "lambda 12": "lambda_12", "v 1.5": "v_1.5", "f(int) const": "f(int) const", "x12": "x12",
	} {
		n := &profile.Node{Location: profile.Location{Function: in}}
		if got := foldedFrame(n); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := foldedTitle(fixtures.Linux(), &profile.Thread{ID: 26}); got != "Thread 26" {
		t.Errorf("title %q", got)
	}
}
