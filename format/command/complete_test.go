package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stacksnap/format/command/completion"
	"stacksnap/task/needs"
)

// TestTopics are all printed, and have every flag.
func TestTopics(t *testing.T) {
	for _, topic := range topics() {
		text := (&helpError{topic}).text("0.1")
		for _, g := range newOptions().groups() {
			for _, f := range g.flags {
				name := map[bool]string{true: strings.ReplaceAll(f.name, "-", `\-`), false: f.name}[topic == "man"]
				if !strings.Contains(text, name) {
					t.Errorf("%s does not have --%s", topic, f.name)
				}
			}
		}
	}
}

// TestKinds of values: what has none that could be known is a number, a time or a word
// of one's own.
func TestKinds(t *testing.T) {
	free := map[string]bool{"": true, "TIME": true, "N": true, "ID|NAME": true, "RE": true, "SHARE": true, "URL": true}
	for _, g := range newOptions().groups() {
		for i := range g.flags {
			f := &g.flags[i]
			if c := f.completion(); (c.Kind == completion.None) != free[f.value] {
				t.Errorf("--%s %s: %+v", f.name, f.value, c)
			}
			for _, word := range f.choices {
				if shellWord(word) != word {
					t.Errorf("--%s: %q would have to be quoted", f.name, word)
				}
			}
		}
	}
}

func TestRoff(t *testing.T) {
	for s, want := range map[string]string{"a-b": `a\-b`, ".x": `\&.x`, "'x": `\&'x`, `a\b`: `a\eb`, "x.": "x."} {
		if got := roff(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// overstruck is how a printer was told to print bold.
var overstruck = regexp.MustCompile(".\x08")

// TestManual is read by others without a complaint, and shows what was written.
func TestManual(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stacksnap.1")
	if err := os.WriteFile(file, []byte(manual("0.1-x")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, reader := range [][]string{
		{"groff", "-man", "-Tascii", "-ww", "-P-cbou", "-rLL=200n", file}, {"mandoc", "-Tascii", "-Owidth=200", file},
	} {
		t.Run(reader[0], func(t *testing.T) {
			needs.Tool(t, reader[0])
			cmd := exec.Command(reader[0], reader[1:]...)
			var said strings.Builder
			cmd.Stderr = &said
			out, err := cmd.Output()
			if err != nil || said.Len() > 0 {
				t.Fatalf("%v: %s", err, said.String())
			}
			shown := strings.Join(strings.Fields(overstruck.ReplaceAllString(string(out), "")), " ")
			for _, g := range newOptions().groups() {
				for _, f := range g.flags {
					if want := strings.Join(strings.Fields(f.title()), " "); !strings.Contains(shown, want) || !strings.Contains(shown, "$ "+f.example) {
						t.Errorf("it does not show %s and $ %s", want, f.example)
					}
				}
			}
		})
	}
}
