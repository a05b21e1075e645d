package format_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format"
	"stacksnap/format/internal/counts"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/jsondoc"
	"stacksnap/format/otlp"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/speedscope"
)

// TestHostileNames: no name breaks a form, or reaches a terminal as it is, and all
// samples are there.
func TestHostileNames(t *testing.T) {
	for kind, name := range fixtures.HostileNames {
		for _, f := range format.All() {
			if !f.Binary {
				onlyPrintable(t, f, golden.Written(t, f.Write, named(t, f, name)))
			}
		}
		p := fixtures.WithNames(name)
		if bytes.Contains(golden.Written(t, speedscope.Write, p), []byte("<")) {
			t.Errorf("%s: a tag in a page that has the report", kind)
		}
		if len(name) > 2 && strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) && bytes.Contains(golden.Written(t, otlp.Write, p), []byte(name)) {
			t.Errorf("%s: otlp has the name as it is", kind)
		}
		checkHostile(t, kind, p)
	}
}

// named is a profile with a name wherever the target tells one, as a format takes it.
func named(t *testing.T, f format.Format, name string) *profile.Profile {
	t.Helper()
	p := fixtures.WithNames(name)
	switch {
	case f.Single:
		p.Snapshots = 1
	case refuses(t, f, p):
		return fixtures.TimedNamed(name)
	}
	return p
}

// checkHostile reads reports back.
func checkHostile(t *testing.T, kind string, p *profile.Profile) {
	t.Helper()
	if !json.Valid(golden.Written(t, jsondoc.Write, p)) {
		t.Errorf("%s: no JSON", kind)
	}
	read := counts.ParsedBytes(t, golden.Written(t, pprof.Write, p))
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
	if diff := cmp.Diff(counts.ByLabel(p), counts.ReadSpeedscope(t, golden.Written(t, speedscope.Write, p)).Counts()); diff != "" {
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
