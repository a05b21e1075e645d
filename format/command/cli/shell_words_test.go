package cli

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                          nil,
		" \t\n":                     nil,
		"-d 10s":                    {"-d", "10s"},
		" -d\t10s\n":                {"-d", "10s"},
		`--dir '/a b' --dir "c d"`:  {"--dir", "/a b", "--dir", "c d"},
		`--dir=/a\ b'c'"d"`:         {"--dir=/a bcd"},
		`'' ""`:                     {"", ""},
		`"\$HOME \a \"\\" $HOME ~*`: {`$HOME \a "\`, "$HOME", "~*"},
		"a\\\nb \\\n c":             {"ab", "c"},
		`it\'s`:                     {"it's"},
		"#no comment":               {"#no", "comment"},
	} {
		if got, err := splitWords(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]error{`'`: errQuote, `a"b`: errQuote, `"\`: errQuote, `"\"`: errQuote, `a\`: errBackslash, `\`: errBackslash} {
		if got, err := splitWords(text); err != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// TestWordsAsAShell compares with one, on texts in which nothing is expanded.
func TestWordsAsAShell(t *testing.T) {
	sh := needs.Tool(t, "sh")
	const script = `while IFS= read -r text; do (eval "set -- $text" 2>/dev/null && printf '<%s>' "$@" && echo " $#") || echo bad; done`
	random := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for range 500 {
		b := []byte("a")
		for range random.IntN(9) {
			b = append(b, `a b'"\`[random.IntN(6)])
		}
		if !strings.HasSuffix(string(b), `\`) { // of which POSIX does not say what it is
			texts = append(texts, string(b))
		}
	}
	cmd := exec.Command(sh, "-c", script)
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(texts, "\n")+"\n"), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		want, _, _ := strings.Cut(line, "> ")
		got, err := splitWords(texts[i])
		if told := "<" + strings.Join(got, "><"); err != nil && line != "bad" || err == nil && told != want {
			t.Errorf("%s: %q, %v; sh: %s", texts[i], got, err, line)
		}
	}
}
