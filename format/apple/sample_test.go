package apple

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

var update = flag.Bool("update", false, "write the golden files anew")

var profiles = map[string]func() *profile.Profile{"darwin": darwin, "linux": linux, "hostile": hostile}

func TestSampleGolden(t *testing.T) {
	for name, p := range profiles {
		t.Run(name, func(t *testing.T) { checkGolden(t, name+".txt", written(t, p())) })
	}
}

func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", file, diff)
	}
}

// Nothing of the target is more than text in a line: the hostile names are in as many
// lines as friendly ones would be.
func TestSampleNothingUnprintable(t *testing.T) {
	got := written(t, hostile())
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

var errFull = errors.New("disk full")

// full takes some bytes and then no more.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	f.room -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func TestSampleWriteErrors(t *testing.T) {
	size := len(written(t, darwin()))
	for _, room := range []int{0, size / 2, size - 1} {
		if err := Sample(&full{room}, report.Of(darwin()), words.Options{}); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: error %v", room, err)
		}
		g := &profile.Group{Profiles: []*profile.Profile{darwin(), darwin()}}
		if err := Sample(&full{size + room}, report.OfGroup(g), words.Options{}); !errors.Is(err, errFull) {
			t.Errorf("group, room for %d bytes: error %v", size+room, err)
		}
	}
}
