package text

import (
	"bytes"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/words"
)

func TestReportInASCII(t *testing.T) {
	for name, write := range map[string]func(words.Options) words.Writer{"tree": Tree, "sampled": Sampled} {
		for _, r := range string(fixtures.Written(t, write(words.Options{ASCII: true, Color: true}), fixtures.Sampled())) {
			if r > '~' {
				t.Errorf("%s: %q", name, r)
			}
		}
		if got := fixtures.Written(t, write(words.Options{ASCII: true}), fixtures.Linux()); !bytes.Contains(got, []byte("-x=1 ...\n")) {
			t.Errorf("%s has no dots in the place of an ellipsis:\n%s", name, got)
		}
	}
}
