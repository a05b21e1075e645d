package apple

import (
	"errors"
	"testing"
	"unicode"
	"unicode/utf8"

	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

var profiles = map[string]func() *profile.Profile{"darwin": appletest.Darwin, "linux": appletest.Linux, "hostile": appletest.Hostile}

func TestSampleGolden(t *testing.T) {
	for name, p := range profiles {
		t.Run(name, func(t *testing.T) { appletest.CheckGolden(t, name+".txt", written(t, p())) })
	}
}

// Nothing of the target is more than text in a line: the hostile names are in as many
// lines as friendly ones would be.
func TestSampleNothingUnprintable(t *testing.T) {
	got := written(t, appletest.Hostile())
	if !utf8.ValidString(got) {
		t.Error("not UTF-8")
	}
	for _, r := range got {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U", r)
		}
	}
	again := read(t, []byte(got))
	if n := len(again.Threads); n != 1 {
		t.Errorf("%d threads", n)
	}
	if n := len(graphOf(got)); n != 3 {
		t.Errorf("%d lines in the call graph", n)
	}
}

func TestSampleWriteErrors(t *testing.T) {
	size := len(written(t, appletest.Darwin()))
	for _, room := range []int{0, size / 2, size - 1} {
		if err := Sample(&fixtures.Full{Room: room}, report.Of(appletest.Darwin()), words.Options{}); !errors.Is(err, fixtures.ErrFull) {
			t.Errorf("room for %d bytes: error %v", room, err)
		}
		g := &profile.Group{Profiles: []*profile.Profile{appletest.Darwin(), appletest.Darwin()}}
		if err := Sample(&fixtures.Full{Room: size + room}, report.OfGroup(g), words.Options{}); !errors.Is(err, fixtures.ErrFull) {
			t.Errorf("group, room for %d bytes: error %v", size+room, err)
		}
	}
}
