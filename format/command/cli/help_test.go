package cli

import (
	"errors"
	testflag "flag"
	"stacksnap/task/live"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = testflag.Bool("update", false, "write testdata/pairs.txt anew")

// fits requires lines that a terminal of 80 columns shows as they are.
func fits(t *testing.T, text string) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestShortHelpFits(t *testing.T) {
	help := shortHelp()
	fits(t, help)
	if n := strings.Count(help, "\n"); n > 23 { // and the prompt
		t.Errorf("%d lines:\n%s", n, help)
	}
	if n := strings.Count(help, "\n  -"); n != 15 {
		t.Errorf("%d flags:\n%s", n, help)
	}
	for line := range strings.Lines(help) {
		if strings.HasPrefix(line, "  -") && line[briefColumn-1] != ' ' {
			t.Errorf("no gap between a flag and what it does: %s", line)
		}
	}
}

// TestHelpHasEveryFlag, and says with what it goes and an example that is one.
func TestHelpHasEveryFlag(t *testing.T) {
	short, long := shortHelp(), longHelp()
	fits(t, long)
	for _, g := range newOptions().groups() {
		for _, f := range g.flags {
			if strings.Contains(short, "\n  "+f.title()+"  ") != (f.brief != "") || !strings.Contains(long, "\n  "+f.title()+"\n") || !strings.Contains(long, "$ "+f.example) {
				t.Errorf("help does not have %s", f.title())
			}
			if f.help == "" || f.zero != "" && !f.isNumber() {
				t.Errorf("--%s: %+v", f.name, f)
			}
			args, err := splitWords(f.example)
			if err != nil || len(args) == 0 || args[0] != "stacksnap" {
				t.Fatalf("%s: %v", f.example, err)
			}
			if o, err := Parse(args[1:], "", live.Runs); err != nil || !o.flags.Lookup(f.name).Changed {
				t.Errorf("%s: %v", f.example, err)
			}
		}
	}
}

func TestCompany(t *testing.T) {
	for name, want := range map[string]string{
		"open": "only with a page in a file", "jitter": "only with sampling", "keep": "only with --hang or --every; only with --dir",
		"merge": "", "format": "", "color": "", // what they do not go with is said when one gives it
	} {
		if got := company(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for i := range rules() {
		for _, term := range strings.Fields(rules()[i].flags + " " + rules()[i].with + " " + rules()[i].needs) {
			name, _, _ := strings.Cut(term, "=")
			if spell(term) == "--"+name && newOptions().flags.Lookup(name) == nil {
				t.Errorf("a rule is on --%s, which there is not", name)
			}
		}
	}
}

func TestHelpIsAskedFor(t *testing.T) {
	for args, topic := range map[string]string{
		"--help": "", "-h": "", "--help all": "all", "help all": "all", "-h all": "all",
		"-p 1 --help": "", "--help --nonsense": "", "-p 1 --help all": "all", "--version --help": "",
		"--help man": "man", "help zsh": "zsh", "-h bash": "bash", "--help me": "",
	} {
		_, err := Parse(strings.Fields(args), "'", live.Runs)
		if help, ok := err.(*HelpError); !ok || help.topic != topic || help.Manual != "" || (help.Made("") == longHelp()) != (topic == "all") {
			t.Errorf("%s: %v", args, err)
		}
	}
	for _, args := range []string{"-- help", "-p help", "nginx help", "help me", "--wait help", "top help", "-d 1s help"} {
		if _, err := Parse(strings.Fields(args), "", live.Runs); errors.As(err, new(*HelpError)) {
			t.Errorf("%s: help", args)
		}
	}
}

func TestWrap(t *testing.T) {
	long := strings.Repeat("x", 90)
	for _, c := range []struct{ words, want string }{
		{"", ""}, {"a b", "a b"}, {long + " b", long + "\n   b"}, {"a " + long, "a\n   " + long},
		{strings.Repeat("y", 70) + " 123456", strings.Repeat("y", 70) + "\n   123456"},
		{strings.Repeat("y", 70) + " 12345", strings.Repeat("y", 70) + " 12345"},
	} {
		if got := wrap(c.words, 3); got != c.want {
			t.Errorf("%q: %q", c.words, got)
		}
	}
}
