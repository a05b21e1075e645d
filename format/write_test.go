package format_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"stacksnap/format/folded"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/jsondoc"
	"stacksnap/format/otlp"
	"stacksnap/format/pprof"
	"stacksnap/format/speedscope"
	"stacksnap/format/text"
	"stacksnap/format/words"
)

var writers = map[string]words.Writer{
	"tree": text.Tree(words.Options{}), "color": text.Tree(words.Options{Color: true}), "sampled": text.Sampled(words.Options{}),
	"json": jsondoc.Write, "json line": jsondoc.WriteLine, "folded": folded.Write,
	"pprof": pprof.Write, "speedscope": speedscope.Write, "otlp": otlp.Writer(words.Options{}),
}

// A report that could not be written to its end is an error, wherever it broke.
func TestWriteErrors(t *testing.T) {
	for name, write := range writers {
		for kind, p := range fixtures.Profiles {
			size := len(fixtures.Written(t, write, p()))
			for _, room := range []int{0, 1, size / 2, size - 1} {
				if size == 0 || room < 0 {
					continue
				}
				if err := write(&fixtures.Full{Room: room}, p()); !errors.Is(err, fixtures.ErrFull) {
					t.Errorf("%s of %s, room for %d of %d bytes: error %v", name, kind, room, size, err)
				}
			}
		}
	}
}

func TestClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	for name, write := range writers {
		if err := write(w, fixtures.Linux()); err == nil {
			t.Errorf("%s: no error from a closed pipe", name)
		}
	}
}

// Nothing from the target reaches a terminal but printable text: a line of
// output is a line of the report, and no escape sequence is the target's.
func TestNothingUnprintable(t *testing.T) {
	for name, write := range writers {
		if name == "color" || name == "pprof" || name == "otlp" {
			continue
		}
		got := fixtures.Written(t, write, fixtures.Hostile())
		if !utf8.Valid(got) {
			t.Errorf("%s: not UTF-8", name)
		}
		for _, r := range string(got) {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%s: %U", name, r)
			}
		}
	}
}

func TestSizeIsLinear(t *testing.T) {
	small, large := len(fixtures.Written(t, jsondoc.Write, fixtures.Recursion(1000))), len(fixtures.Written(t, jsondoc.Write, fixtures.Recursion(9000)))
	if large > 10*small {
		t.Errorf("json: %d bytes for 1,000 frames, %d for 9,000", small, large)
	}
	p := fixtures.Staircase()
	if n := len(fixtures.Written(t, text.Tree(words.Options{}), p)); n > 70*200+1000 {
		t.Errorf("tree: %d bytes for 70 frames", n)
	}
}

// A folded line is frames, a blank and a number; the numbers add up to the
// samples of all threads.
func TestFoldedLines(t *testing.T) {
	for kind, p := range fixtures.Profiles {
		want, sum := 0, 0
		for _, th := range p().Threads {
			want += th.Samples
		}
		for line := range strings.Lines(string(fixtures.Written(t, folded.Write, p()))) {
			i := strings.LastIndexByte(line, ' ')
			var n int
			if _, err := fmt.Sscanf(line[i+1:], "%d\n", &n); err != nil || i == 0 {
				t.Errorf("%s: line %q", kind, line)
			}
			sum += n
		}
		if sum != want {
			t.Errorf("%s: %d samples, want %d", kind, sum, want)
		}
	}
}

func TestFoldedCountsFoldedThreads(t *testing.T) {
	p := fixtures.Darwin()
	if got, want := string(fixtures.Written(t, folded.Write, p.FoldThreads())), "__psynch_cvwait 2\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in:\n%s", want, got)
	}
}
