package format

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestGolden(t *testing.T) {
	tree := Tree(Options{})
	for _, c := range []struct {
		name    string
		write   Writer
		profile *profile.Profile
	}{
		{"linux.txt", tree, linux()},
		{"linux_color.txt", Tree(Options{Color: true}), linux()},
		{"darwin.txt", tree, darwin()},
		{"darwin_merge.txt", tree, darwin().FoldThreads()},
		{"translated.txt", tree, translated()},
		{"translated_live.txt", tree, translatedLive()},
		{"no_threads.txt", tree, noThreads()},
		{"recursion.txt", tree, recursion(9_000)},
		{"staircase.txt", tree, staircase()},
		{"hostile.txt", tree, hostile()},
		{"sampled.txt", tree, sampled()},
		{"sampled.folded", Folded, sampled()},
		{"sampled.json", JSON, sampled()},
		{"linux.json", JSON, linux()},
		{"linux.folded", Folded, linux()},
		{"darwin_merge.json", JSON, darwin().FoldThreads()},
		{"hostile.json", JSON, hostile()},
		{"hostile.folded", Folded, hostile()},
	} {
		t.Run(c.name, func(t *testing.T) { checkGolden(t, c.name, written(t, c.write, c.profile)) })
	}
}

func written(t *testing.T, write Writer, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func checkGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", file, diff)
	}
}
