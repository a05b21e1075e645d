package out

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"stacksnap/format/command/cli"
)

const hostile = "a\x1b[31mTR\x07\u202e\x9b\r\nb \\x1b é"

func TestTell(t *testing.T) {
	var b strings.Builder
	Tell(&b, hostile)
	if want := `stacksnap: a\x1b[31mTR\x07\u202e\x9b\x0d\nb \x1b é` + "\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestTellError(t *testing.T) {
	first, second := errors.New("first \x1b[2J"), errors.New("second")
	list := &ListError{Lines: []string{"2 processes\x1b[2J", "1 \x9b", "1 \x9b"}}
	for err, lines := range map[error][]string{
		errors.Join(first, second, first): {`stacksnap: first \x1b[2J; second`},
		cli.UsageError{Err: list}:         {`stacksnap: 2 processes\x1b[2J`, `1 \x9b`, `1 \x9b`},
	} {
		var b strings.Builder
		TellError(&b, err)
		got := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(got) != len(lines) || strings.ContainsAny(b.String(), "\x1b\u009b") || !utf8.ValidString(b.String()) {
			t.Fatalf("%q, want %q", got, lines)
		}
		for i := range lines {
			if !strings.Contains(got[i], lines[i]) {
				t.Errorf("%q, want %q", got[i], lines[i])
			}
		}
	}
}
