package manual

import "testing"

func TestTerminal(t *testing.T) {
	const text = "# title\n\nSay `--so` or `so.\n    code `as` is\n- `a` b\n"
	if got, want := Terminal("## it\n`a-b` c\n    `x`\n", true), "\x1b[1mit\x1b[0m\n\x1b[1ma-b\x1b[0m c\n  `x`\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Terminal(text, false), "title\n\nSay `--so` or `so.\n  code `as` is\n- a b\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEscape(t *testing.T) {
	for s, want := range map[string]string{"a-b": `a\-b`, ".x": `\&.x`, "'x": `\&'x`, `a\b`: `a\eb`, "x.": "x.", "1 µs": `1 \[u00B5]s`} {
		if got := Escape(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestSection(t *testing.T) {
	for _, topic := range Topics() {
		for _, heading := range topic.Headings() {
			if section := topic.Section(heading); len(section) < len(heading)+10 {
				t.Errorf("%s, %s: %q", topic.Name, heading, section)
			}
		}
	}
	if got := Topics()[0].Section("none"); got != "" {
		t.Errorf("%q", got)
	}
}

func TestRoff(t *testing.T) {
	w := &roffWriter{}
	for _, line := range []string{"# title", "", "One", "two `x-y`.", "", "    code", "", "    more", "", "- item", "  on", "## next"} {
		w.line(line)
	}
	const want = "Title.\n.PP\nOne\ntwo \\fBx\\-y\\fR.\n.PP\n.RS 4\n.nf\ncode\n\nmore\n.fi\n.RE\n.IP \\(bu 2\nitem\non\n.SS next\n"
	if got := w.b.String(); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}
