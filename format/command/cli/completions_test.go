package cli

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

// TestTopics are all printed, and have every flag, but for pages of some topics.
func TestTopics(t *testing.T) {
	for _, topic := range topics() {
		text := (&HelpError{topic: topic}).Made("0.1")
		if strings.HasPrefix(topic, "man-") {
			continue
		}
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
				if ShellWord(word) != word {
					t.Errorf("--%s: %q would have to be quoted", f.name, word)
				}
			}
		}
	}
}

// overstruck is how a printer was told to print bold.
var overstruck = regexp.MustCompile(".\x08")

// TestManual is read by others without a complaint, and shows what was written: all flags
// in the first page, and those of their topics in the others.
func TestManual(t *testing.T) {
	for topic, want := range map[string][]string{
		"man": flagNames(), "man-top": {}, "man-formats": {"format", "output", "open"},
	} {
		t.Run(topic, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), topic)
			if err := os.WriteFile(file, []byte((&HelpError{topic: topic}).Made("0.1-x")), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, reader := range [][]string{
				{"groff", "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=200n", file}, {"mandoc", "-Tutf8", "-Owidth=200", file},
			} {
				t.Run(reader[0], func(t *testing.T) {
					needs.Tool(t, reader[0])
					shown := readPage(t, reader)
					for _, name := range want {
						f := newOptions().row(name)
						if want := strings.Join(strings.Fields(f.title()), " "); !strings.Contains(shown, want) || !strings.Contains(shown, "$ "+f.example) {
							t.Errorf("it does not show %s and $ %s", want, f.example)
						}
					}
				})
			}
		})
	}
}

// flagNames are those of all flags.
func flagNames() (names []string) {
	for _, g := range newOptions().groups() {
		for i := range g.flags {
			names = append(names, g.flags[i].name)
		}
	}
	return names
}

// readPage is what a reader of man pages shows, in a line.
func readPage(t *testing.T, reader []string) string {
	t.Helper()
	cmd := exec.Command(reader[0], reader[1:]...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil || said.Len() > 0 {
		t.Fatalf("%v: %s", err, said.String())
	}
	return strings.Join(strings.Fields(overstruck.ReplaceAllString(string(out), "")), " ")
}
