package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stacksnap/format"
	"stacksnap/format/command/manual"
	"stacksnap/task/live"
)

// TestHelpFinds topics, flags and sections by the words that people type.
func TestHelpFinds(t *testing.T) {
	for args, want := range map[string]string{
		"help": "permissions", "help hang": "What is a hang", "help top": "%SELF", "help diff": "old.snap", "help HANG": "What is a hang",
		"help --save": "--save FILE", "help save": "See also: `stacksnap help open`", "help -d": "--duration TIME", "help --hang": "See also: `stacksnap help hang`",
		"help exit codes": "3   no such process", "help pprof": "<between samples>", "help open": "core.4711", "help --open": "--open",
		"help tree": "--tree", "help no-stop": "--no-stop", "help json": "JSON.md",
		"help help": "permissions", "help record": "# samples over time", "help sample": "# samples over time", "help dump": "--no-pager", "help command": "through exec",
		"help version": "--version", "help -V": "--version", "help -F": "--rate N", "help -f": "--format FORMAT", "help -pid": "--pid PID", "help --SAVE": "--save FILE",
	} {
		_, err := Parse(strings.Fields(args), "'", live.Runs)
		if help, ok := err.(*HelpError); !ok || help.topic != "" || !strings.Contains(help.Manual, want) {
			t.Errorf("%s: %v without %s", args, err, want)
		}
	}
	if _, err := Parse([]string{"help", "--save"}, "", live.Runs); strings.Contains(err.(*HelpError).Manual, "--format") {
		t.Error("help --save has more than that flag")
	}
}

// TestHelpFindsNone names what is near, on a line.
func TestHelpFindsNone(t *testing.T) {
	for args, want := range map[string]string{
		"help tpo": "did you mean top?", "help hangs": "did you mean hang", "help permission": "did you mean permissions?",
		"help --durations": "did you mean --duration?", "help samplng": "sampling", "help codes": "exit-codes",
		"help 4711": "-p help", "help xyzzy": "-p help", "help -": "-p help", "help --": "-p help", "help -z": "-p help",
	} {
		_, err := Parse(strings.Fields(args), "", live.Runs)
		if !isUsage(err) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
	if _, err := Parse([]string{"help", "xyzzy"}, "", live.Runs); strings.Contains(err.Error(), "did you mean") {
		t.Error(err)
	}
}

// TestTopicFiles are those of the table, no more, and have a title, and lines that a
// terminal shows as they are.
func TestTopicFiles(t *testing.T) {
	all, err := filepath.Glob("../manual/*.md")
	if err != nil || len(all) != len(manual.Topics()) {
		t.Errorf("%d files, %v, and %d topics", len(all), err, len(manual.Topics()))
	}
	for _, topic := range manual.Topics() {
		if !strings.HasPrefix(topic.Text(), "# "+topic.Title()+"\n\n") {
			t.Errorf("%s has no title", topic.Name)
		}
		fits(t, manual.Terminal(newOptions().topicText(topic), false))
		if strings.Contains(topic.Text(), "\t") || strings.Contains(topic.Text(), "```") || strings.Contains(topic.Text(), "](") {
			t.Errorf("%s has Markdown that is not shown", topic.Name)
		}
	}
	fits(t, listTopics())
	if n := strings.Count(listTopics(), "\n"); n > 24 {
		t.Errorf("%d lines of topics", n)
	}
}

// TestEveryFlagHasATopic: one, whose text has the flag, too, and not in its list alone.
func TestEveryFlagHasATopic(t *testing.T) {
	of := map[string]string{}
	for _, topic := range manual.Topics() {
		for _, name := range topic.Flags {
			f := newOptions().row(name)
			if f == nil || of[name] != "" {
				t.Fatalf("--%s of %s: there is none, or it is of %s", name, topic.Name, of[name])
			}
			of[name] = topic.Name
			short := f.short != "" && regexp.MustCompile("(?m)[ `]-"+f.short+"\\b").MatchString(topic.Text())
			if !short && !regexp.MustCompile("--"+name+"\\b").MatchString(topic.Text()) {
				t.Errorf("%s does not say anything of --%s", topic.Name, name)
			}
		}
	}
	for _, name := range flagNames() {
		if of[name] == "" {
			t.Errorf("no topic has --%s", name)
		}
	}
}

// documents are the manual and the README, by name.
func documents(t *testing.T) map[string]string {
	t.Helper()
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"README.md": string(b)}
	for _, topic := range manual.Topics() {
		all[topic.Name] = topic.Text()
	}
	return all
}

const readme = "../../../README.md"

// TestDocumentsNameFlagsThatThereAre, and topics.
func TestDocumentsNameFlagsThatThereAre(t *testing.T) {
	others := []string{"help", "prefix", "remove", "cap-add", "rm", "pid", "image", "target", "profile", "now"} // of install.sh, docker, kubectl, systemctl
	flags := regexp.MustCompile("(?m)(?:^|[ `(])--([a-z][a-z-]*)")
	topic := regexp.MustCompile(`help ([a-z][a-z-]*|--?[a-z][a-z-]*)\b`)
	for name, text := range documents(t) {
		for _, m := range flags.FindAllStringSubmatch(text, -1) {
			if newOptions().row(m[1]) == nil && !slices.Contains(others, m[1]) {
				t.Errorf("%s has --%s, which there is not", name, m[1])
			}
		}
		for _, m := range topic.FindAllStringSubmatch(strings.Join(strings.Fields(text), " "), -1) {
			if newOptions().helpText(m[1]) == "" && !slices.Contains(topics(), m[1]) {
				t.Errorf("%s has stacksnap help %s, which there is not", name, m[1])
			}
		}
	}
}

// calls are the calls of stacksnap that a text shows in lines and in code, without
// what the shell does with them.
func calls(text string) (all []string) {
	line := regexp.MustCompile(`(?m)^(?:    |\$ )?(?:sudo )?(stacksnap (?:-|\d|diff |top |[a-z]+\.)[^#\n]*)`)
	code := regexp.MustCompile("`(?:sudo )?(stacksnap [^`\n]*)`")
	for _, m := range slices.Concat(line.FindAllStringSubmatch(text, -1), code.FindAllStringSubmatch(text, -1)) {
		call, _, _ := strings.Cut(m[1], " | ")
		all = append(all, strings.TrimSpace(call))
	}
	return all
}

// TestCallsOfDocuments are such that they would be done.
func TestCallsOfDocuments(t *testing.T) {
	all := documents(t)
	dir := t.TempDir()
	t.Chdir(dir)
	n := 0
	for name, text := range all {
		for _, call := range calls(text) {
			args, err := splitWords(strings.NewReplacer("TOPIC", "hang", "REPORT", "it.ips").Replace(call))
			if err != nil {
				t.Fatalf("%s: %s: %v", name, call, err)
			}
			if IsBare(args[1:]) {
				continue
			}
			makeFiles(t, dir, args)
			n++
			var help *HelpError
			if _, err := Parse(args[1:], "", live.Runs); err != nil && !asHelp(err, &help) {
				t.Errorf("%s: %s: %v", name, call, err)
			}
		}
	}
	if n < 80 {
		t.Errorf("%d calls", n)
	}
}

func asHelp(err error, help **HelpError) bool {
	h, ok := err.(*HelpError)
	*help = h
	return ok
}

// makeFiles makes the files that a call opens.
func makeFiles(t *testing.T, dir string, args []string) {
	t.Helper()
	opened := regexp.MustCompile(`^(core\.\d+|\w+(\.\w+)*\.(snap|json|pb\.gz|kcdata|txt|ips|hang|core))$`)
	for i, arg := range args {
		if opened.MatchString(arg) && args[i-1] != "-o" && args[i-1] != "--save" {
			write(t, dir, arg, "", 0o600)
		}
	}
}

// TestManualHasFormats as the program has them.
func TestManualHasFormats(t *testing.T) {
	all := documents(t)
	for _, f := range format.All() {
		row := regexp.MustCompile("(?m)^    " + f.Name + " +(.*)$").FindStringSubmatch(all["formats"])
		if row == nil {
			t.Errorf("formats has no %s", f.Name)
			continue
		}
		for _, extension := range f.Extensions {
			if !strings.Contains(row[1], extension) {
				t.Errorf("formats has no file name %s of %s", extension, f.Name)
			}
		}
		if !regexp.MustCompile(`[\s,]` + f.Name + `[\s,]`).MatchString(all["README.md"]) {
			t.Errorf("README.md has no format %s", f.Name)
		}
	}
}

// TestFiguresHaveScripts: each command that figures are made with is of a script, or of a
// test or benchmark, that there is.
func TestFiguresHaveScripts(t *testing.T) {
	text := documents(t)["figures"]
	for _, m := range regexp.MustCompile(`(?:^|[ \n])(?:go run )?(?:\./)?(scripts/[a-z0-9/.]*[a-z])`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join("../../..", m[1])); err != nil {
			t.Error(err)
		}
	}
	commands := regexp.MustCompile(`go test (?:-v )?\./([a-z0-9/]+).*?(-run|-bench) '?([A-Za-z|]+)`).FindAllStringSubmatch(strings.ReplaceAll(text, "-run - ", ""), -1)
	if len(commands) < 8 {
		t.Errorf("%d commands", len(commands))
	}
	for _, m := range commands {
		kind := map[string]string{"-run": "Test", "-bench": "Benchmark"}[m[2]]
		for word := range strings.SplitSeq(m[3], "|") {
			if !hasFunction(t, filepath.Join("../../..", m[1]), kind+`\w*`+word) {
				t.Errorf("%s: there is no %s in %s", m[0], word, m[1])
			}
		}
	}
}

// hasFunction reports whether tests in a folder have a function of a name.
func hasFunction(t *testing.T, dir, name string) bool {
	t.Helper()
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(tests, func(path string) bool {
		b, err := os.ReadFile(path)
		return err == nil && regexp.MustCompile("func "+name).Match(b)
	})
}
