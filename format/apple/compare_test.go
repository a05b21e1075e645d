package apple

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/format/apple/crash"
	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task/needs"
)

// form is one of the reports that are both read and written.
type form struct {
	name  string
	is    func(head []byte) bool
	write report.Writer
	facts func(text string) []string // what the report says, one line each
}

func reportForms() []form {
	return []form{
		{"sample", isSample, Sample, sampleFacts}, {"ips", crash.IsIPS, crash.IPS, appletest.IPSFacts},
		{"spindump", isSpindump, spindumpAgain, spindumpFacts}, {"crash", crash.IsText, crash.Text, appletest.CrashFacts},
	}
}

// spindumpAgain writes the timeline where there is one.
func spindumpAgain(w io.Writer, r *report.Report, o words.Options) error {
	if err := SpindumpTimeline(w, r, o); !errors.Is(err, timeline.ErrNoTimeline) {
		return err
	}
	return Spindump(w, r, o)
}

// TestReportsComeBack reads every report below the folder that STACKSNAP_REPORTS names,
// writes it in its own form, and compares what the two say line by line. Stacks, threads
// and images must all come back; what else does not is counted, and shown with -v.
func TestReportsComeBack(t *testing.T) {
	folder := needs.Variable(t, appletest.ReportsVariable, "a folder of reports")
	reports, lines, lost, invented := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text = withoutComments(text)
		f := formOf(text)
		if f == nil {
			return nil
		}
		was, missing, more := comeBack(t, path, f, text)
		reports[f.name]++
		lines[f.name] += was
		lost[f.name] += len(missing)
		invented[f.name] += len(more)
		for _, line := range missing {
			t.Logf("%s: lost: %s", filepath.Base(path), line)
		}
		for _, line := range more {
			t.Logf("%s: invented: %s", filepath.Base(path), line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(reports)) {
		t.Logf("%s: %d reports, %d lines: %d lost, %d invented", name, reports[name], lines[name], lost[name], invented[name])
	}
}

func formOf(text []byte) *form {
	head := text[:min(len(text), notation.HeadSize)]
	for _, f := range reportForms() {
		if f.is(head) {
			return &f
		}
	}
	return nil
}

// comeBack is how many facts a report has, and those that are lost or invented where it is
// written again.
func comeBack(t *testing.T, path string, f *form, text []byte) (facts int, lost, invented []string) {
	t.Helper()
	all, err := Read(bytes.NewReader(text))
	if errors.Is(err, crash.ErrNotReport) {
		return 0, nil, nil
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var b bytes.Buffer
	if err := f.write(&b, report.OfGroup(&profile.Group{Tool: all[0].Tool, Profiles: all}), words.Options{}); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	was, is := f.facts(string(text)), f.facts(b.String())
	counts := map[string]int{}
	for _, line := range is {
		counts[line]++
	}
	for _, line := range was {
		if counts[line]--; counts[line] < 0 {
			lost = append(lost, line)
		}
	}
	for _, line := range is {
		if counts[line] > 0 {
			counts[line]--
			invented = append(invented, line)
		}
	}
	return len(was), lost, invented
}

// wordsOf are the words of a line with a blank between, behind its indent.
func wordsOf(line string) string {
	text := strings.TrimLeft(line, " \t")
	return line[:len(line)-len(text)] + strings.Join(strings.Fields(text), " ")
}

func sampleFacts(text string) (facts []string) {
	for line := range strings.Lines(text) {
		if s := wordsOf(strings.TrimRight(line, "\r\n")); s != "" {
			facts = append(facts, s)
		}
	}
	return facts
}

func spindumpFacts(text string) []string { return sampleFacts(text) }
