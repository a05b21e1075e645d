package format

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
)

// hostileNames would be taken for something else where they are not escaped.
var hostileNames = map[string]string{
	"quotes": `say "hi", 'you' \`, "semicolons": "a;b;c 12", "line ends": "a\nb\r\n12\u2028", "tags": "</script><script>alert(1)</script>&amp;",
	"bytes": "\xff\xfe\xc3(", "escapes": "\x1b[2J\x1b]0;owned\a\x9b31m", "right to left": "\u202egnp.exe\u2066", "nothing": "\x00", "blanks": "  ",
	"cut": "<cut: no caller found>", "long": strings.Repeat("std::map<std::pair<int, char const*>, ns::t<(anonymous namespace)::f> >::", 140),
}

// withNames has a name wherever the target tells one.
func withNames(name string) *profile.Profile {
	p := sampled()
	p.Tool, p.Target.Name, p.Target.Path, p.Notes = name, name, name, []string{name}
	for _, im := range p.Images {
		im.Path, im.Note, im.Err = "/"+name, name, name
	}
	for i, t := range p.Threads {
		t.Name, t.Queue, t.Err = name, name, name
		if i > 0 {
			continue // the others keep a function that has its own name
		}
		for _, n := range t.Nodes() {
			if n.Function != "" {
				n.Function, n.Raw, n.File = name, name, name
			}
		}
	}
	return p
}

// TestHostileNames: no name breaks a form, or reaches a terminal as it is, and all
// samples are there.
func TestHostileNames(t *testing.T) {
	for kind, name := range hostileNames {
		p := withNames(name)
		for form, write := range writers {
			report := written(t, write, p)
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
		if bytes.Contains(written(t, Speedscope, p), []byte("<")) {
			t.Errorf("%s: a tag in a page that has the report", kind)
		}
		if len(name) > 2 && strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) && bytes.Contains(written(t, OTLP(Options{}), p), []byte(name)) {
			t.Errorf("%s: otlp has the name as it is", kind)
		}
		checkHostile(t, kind, p)
	}
}

// checkHostile reads reports back.
func checkHostile(t *testing.T, kind string, p *profile.Profile) {
	t.Helper()
	if !json.Valid(written(t, JSON, p)) {
		t.Errorf("%s: no JSON", kind)
	}
	read := parsedBytes(t, written(t, Pprof, p))
	if diff := cmp.Diff(ownCounts(p), readCounts(read)); diff != "" {
		t.Errorf("%s: pprof (-want +got):\n%s", kind, diff)
	}
	for _, f := range read.Function {
		for _, s := range []string{f.Name, f.SystemName, f.Filename} {
			if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%s: pprof has %q", kind, s)
			}
		}
	}
	p = uncounted(p)
	if diff := cmp.Diff(byLabel(p), readSpeedscope(t, written(t, Speedscope, p)).counts()); diff != "" {
		t.Errorf("%s: speedscope (-want +got):\n%s", kind, diff)
	}
}

// FuzzNames: what any name makes of a report is read back with the same counts.
func FuzzNames(f *testing.F) {
	for _, name := range hostileNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) { checkHostile(t, "fuzz", withNames(name)) })
}
