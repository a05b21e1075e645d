package format_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"stacksnap/format"
	"stacksnap/format/folded"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/internal/timeline"
	"stacksnap/format/jsondoc"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/text"
	"stacksnap/format/words"
)

// refuses reports whether a format is not for a profile: one that is of one snapshot not
// for many, and one that is about time not for a profile without times.
func refuses(t *testing.T, f format.Format, p *profile.Profile) bool {
	t.Helper()
	if f.Single && p.Sampled() {
		return true
	}
	err := f.Write(io.Discard, report.Of(p), words.Options{})
	if err != nil && !(f.Timed && errors.Is(err, timeline.ErrNoTimeline)) {
		t.Errorf("%s: %v", f.Name, err)
	}
	return err != nil
}

// kinds are reports of each kind that a format is for.
func kinds(t *testing.T, f format.Format) map[string]*report.Report {
	t.Helper()
	if f.Single {
		return map[string]*report.Report{"one": report.Of(fixtures.Linux())}
	}
	all := map[string]*report.Report{"one": report.Of(fixtures.Timed())}
	if !refuses(t, f, fixtures.Linux()) {
		all["several"] = report.OfGroup(fixtures.Group())
	}
	if f.Hangs {
		all["hang"] = report.OfHang(fixtures.HangOf())
	}
	if f.Diffs {
		all["diff"] = report.OfDiff(compared(t, fixtures.Sampled(), later(), inOne))
	}
	return all
}

// page is what is the same in all pages.
var page = regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>|sha256-[^']*`)

// TestFormats: each format has a golden file of each kind of report that it is for.
func TestFormats(t *testing.T) {
	for _, f := range format.All() {
		for kind, r := range kinds(t, f) {
			name := kind + "." + f.Name
			t.Run(name, func(t *testing.T) {
				got := golden.WrittenReport(t, f.Write, r, words.Options{})
				golden.Check(t, filepath.Join("formats", name), page.ReplaceAll(got, nil))
			})
		}
	}
}

// A report that could not be written to its end is an error, wherever it broke.
func TestWriteErrors(t *testing.T) {
	for _, f := range format.All() {
		reports := kinds(t, f)
		for kind, p := range fixtures.Profiles {
			if !refuses(t, f, p()) {
				reports[kind] = report.Of(p())
			}
		}
		for kind, r := range reports {
			o := words.Options{Color: f.Text}
			size := len(golden.WrittenReport(t, f.Write, r, o))
			for _, room := range []int{0, 1, size / 2, size - 1} {
				if size == 0 || room < 0 {
					continue
				}
				if err := f.Write(&fixtures.Full{Room: room}, r, o); !errors.Is(err, fixtures.ErrFull) {
					t.Errorf("%s of %s, room for %d of %d bytes: error %v", f.Name, kind, room, size, err)
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
	for _, f := range format.All() {
		if err := f.Write(w, kinds(t, f)["one"], words.Options{}); err == nil {
			t.Errorf("%s: no error from a closed pipe", f.Name)
		}
	}
}

// Nothing from the target reaches a terminal but printable text: a line of
// output is a line of the report, and no escape sequence is the target's.
func TestNothingUnprintable(t *testing.T) {
	for _, f := range format.All() {
		if !f.Binary && !refuses(t, f, fixtures.Hostile()) {
			onlyPrintable(t, f, golden.Written(t, f.Write, fixtures.Hostile()))
		}
	}
}

// onlyPrintable requires that a report can be shown as it is.
func onlyPrintable(t *testing.T, f format.Format, report []byte) {
	t.Helper()
	if !utf8.Valid(report) {
		t.Errorf("%s: not UTF-8", f.Name)
	}
	for _, r := range string(report) {
		column := r == '\t' && f.Name == "crash" // of its own
		if r != '\n' && !column && !unicode.IsPrint(r) {
			t.Errorf("%s: %U in\n%q", f.Name, r, report)
			return
		}
	}
}

func TestSizeIsLinear(t *testing.T) {
	small, large := len(golden.Written(t, jsondoc.Write, fixtures.Recursion(1000))), len(golden.Written(t, jsondoc.Write, fixtures.Recursion(9000)))
	if large > 10*small {
		t.Errorf("json: %d bytes for 1,000 frames, %d for 9,000", small, large)
	}
	p := fixtures.Staircase()
	if n := len(golden.Written(t, text.Tree, p)); n > 70*200+1000 {
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
		for line := range strings.Lines(string(golden.Written(t, folded.Write, p()))) {
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
	if got, want := string(golden.Written(t, folded.Write, p.FoldThreads())), "__psynch_cvwait 2\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in:\n%s", want, got)
	}
}
