package format_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/internal/counts"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/jsondoc"
	"stacksnap/format/otlp"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/speedscope"
	"stacksnap/format/words"
)

// TestHostileNames: no name breaks a form, or reaches a terminal as it is, and all
// samples are there.
func TestHostileNames(t *testing.T) {
	for kind, name := range fixtures.HostileNames {
		p := fixtures.WithNames(name)
		for form, write := range writers {
			report := fixtures.Written(t, write, p)
			if form == "color" || form == "pprof" || form == "otlp" {
				continue
			}
			for _, r := range string(report) {
				if r != '\n' && !unicode.IsPrint(r) {
					t.Errorf("%s: %s has %U", kind, form, r)
					break
				}
			}
		}
		if bytes.Contains(fixtures.Written(t, speedscope.Write, p), []byte("<")) {
			t.Errorf("%s: a tag in a page that has the report", kind)
		}
		if len(name) > 2 && strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) && bytes.Contains(fixtures.Written(t, otlp.Writer(words.Options{}), p), []byte(name)) {
			t.Errorf("%s: otlp has the name as it is", kind)
		}
		checkHostile(t, kind, p)
	}
}

// checkHostile reads reports back.
func checkHostile(t *testing.T, kind string, p *profile.Profile) {
	t.Helper()
	if !json.Valid(fixtures.Written(t, jsondoc.Write, p)) {
		t.Errorf("%s: no JSON", kind)
	}
	read := counts.ParsedBytes(t, fixtures.Written(t, pprof.Write, p))
	if diff := cmp.Diff(counts.Own(p), counts.OfPprof(read)); diff != "" {
		t.Errorf("%s: pprof (-want +got):\n%s", kind, diff)
	}
	for _, f := range read.Function {
		for _, s := range []string{f.Name, f.SystemName, f.Filename} {
			if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%s: pprof has %q", kind, s)
			}
		}
	}
	p = counts.Uncounted(p)
	if diff := cmp.Diff(counts.ByLabel(p), counts.ReadSpeedscope(t, fixtures.Written(t, speedscope.Write, p)).Counts()); diff != "" {
		t.Errorf("%s: speedscope (-want +got):\n%s", kind, diff)
	}
}

// FuzzNames: what any name makes of a report is read back with the same counts.
func FuzzNames(f *testing.F) {
	for _, name := range fixtures.HostileNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) { checkHostile(t, "fuzz", fixtures.WithNames(name)) })
}
