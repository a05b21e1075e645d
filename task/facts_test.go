package task

import (
	"strings"
	"testing"
)

func TestNewCommand(t *testing.T) {
	long := strings.Repeat("x", MaxCommandBytes-1)
	many := make([]string, MaxArguments+1)
	for _, c := range []struct {
		args []string
		kept int
	}{
		{nil, 0}, {[]string{"a", ""}, 2}, {many[1:], MaxArguments}, {many, MaxArguments},
		{[]string{long, "y"}, 2}, {[]string{long, "y", "z"}, 2}, {[]string{long + "xx"}, 0},
	} {
		got := NewCommand(c.args)
		if len(got.Args) != c.kept || got.Cut != (c.kept < len(c.args)) {
			t.Errorf("%d arguments: %d kept, want %d; cut %v", len(c.args), len(got.Args), c.kept, got.Cut)
		}
	}
}
