package text

import (
	"strconv"
	"strings"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// A cycle is folded only where every frame left out is one of its functions.
func TestFindCycle(t *testing.T) {
	for _, c := range []struct {
		frames string
		want   cycle
	}{
		{"", cycle{}},
		{strings.Repeat("a", 19), cycle{}},
		{strings.Repeat("a", 20) + "b", cycle{1, 20}},
		{strings.Repeat("ab", 10) + "ac", cycle{2, 20}},
		{"b" + strings.Repeat("a", 50), cycle{}},
		{strings.Repeat("abcdefgh", 3), cycle{}},
		{strings.Repeat("abcdefgh", 4), cycle{8, 32}},
		{strings.Repeat("abcdefghi", 9), cycle{}},
		{strings.Repeat("aab", 10), cycle{3, 30}},
	} {
		var chain []*profile.Node
		for _, f := range c.frames {
			chain = append(chain, &profile.Node{Location: profile.Location{Function: string(f)}})
		}
		if got := findCycle(chain); got != c.want {
			t.Errorf("%q: %v, want %v", c.frames, got, c.want)
		}
	}
}

func TestFindCycleKeepsUnknownAndDoubtfulApart(t *testing.T) {
	var overloads []*profile.Node
	for i := range 40 {
		overloads = append(overloads, &profile.Node{Location: profile.Location{Function: "add(_:)", Overload: strconv.Itoa(i % 9)}})
	}
	if got := findCycle(overloads); got.period != 0 {
		t.Errorf("frames of nine overloads: %v", got)
	}
	var unknown []*profile.Node
	for i := range 40 {
		unknown = append(unknown, &profile.Node{PC: task.Addr(i)})
	}
	if got := findCycle(unknown); got.period != 0 {
		t.Errorf("frames of unknown functions: %v", got)
	}
}
