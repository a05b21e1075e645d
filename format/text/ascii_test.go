package text

import (
	"bytes"
	"io"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

func TestReportInASCII(t *testing.T) {
	for name, write := range map[string]report.Writer{"tree": Tree, "sampled": sampled} {
		for _, r := range string(golden.WrittenReport(t, write, report.Of(fixtures.Sampled()), words.Options{ASCII: true, Color: true})) {
			if r > '~' {
				t.Errorf("%s: %q", name, r)
			}
		}
		if got := golden.WrittenReport(t, write, report.Of(fixtures.Linux()), words.Options{ASCII: true}); !bytes.Contains(got, []byte("-x=1 ...\n")) {
			t.Errorf("%s has no dots in the place of an ellipsis:\n%s", name, got)
		}
	}
}

// TestGroupInASCII: as many lines as without ASCII, also where they all fit in the buffer.
func TestGroupInASCII(t *testing.T) {
	r := report.OfGroup(fixtures.Group())
	for name, write := range map[string]report.Writer{"tree": Tree, "summary": Summary} {
		want := bytes.Count(golden.WrittenReport(t, write, r, words.Options{}), []byte("\n"))
		if got := bytes.Count(golden.WrittenReport(t, write, r, words.Options{ASCII: true}), []byte("\n")); got != want {
			t.Errorf("%s: %d lines, want %d", name, got, want)
		}
	}
}

// sampled writes any profile as one of many snapshots.
func sampled(w io.Writer, r *report.Report, o words.Options) error {
	return writeSampled(newPrinter(w, r.Profiles[0], o), &o)
}
