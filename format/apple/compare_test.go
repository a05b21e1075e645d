package apple

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

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
		{"sample", isSample, Sample, sampleFacts}, {"ips", isIPS, IPS, ipsFacts},
		{"spindump", isSpindump, spindumpAgain, spindumpFacts}, {"crash", isCrash, Crash, crashFacts},
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
	folder := needs.Variable(t, reportsVariable, "a folder of reports")
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
	head := text[:min(len(text), headSize)]
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
	if errors.Is(err, ErrNotReport) {
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

// registers begin the values of a processor in a crash report, which no model has.
var registers = regexp.MustCompile(`^(Thread \d+ crashed with |Logical CPU|Error Code|Trap Number|External Modification|VM Region Summary|System Profile|Translated Code)`)

// number is an address with any zeros before it.
var number = regexp.MustCompile(`\b0x0*([0-9a-fA-F]+)\b`)

// bases is how reporters of other makers have both where an image begins and a symbol,
// marked is how they mark images, hexadecimal is an offset so written; what is in no image is
// at its address alone; and a name may be empty.
var (
	bases       = regexp.MustCompile(`0x[0-9a-f]+ \+ (?:0x[0-9a-f]+ // (.* \+ 0x[0-9a-f]+)|[0-9]+ \((.* \+ [0-9]+)\))$`)
	marked      = regexp.MustCompile(`^([0-9]+) (?:\+ )?(.*?)(?: \(\*\))? (0x[0-9a-f]+ )`)
	noPlace     = regexp.MustCompile(`^([0-9]+ \?\?\? 0x[0-9a-f]+ ).*`)
	nameless    = regexp.MustCompile(`^Thread \d+ name:\s*$`)
	hexadecimal = regexp.MustCompile(` \+ 0x([0-9a-f]+)$`)
)

// crashFact is a line in the words of Apple's own reports.
func crashFact(line string) string {
	line = strings.ToLower(number.ReplaceAllString(strings.Join(strings.Fields(line), " "), "0x$1"))
	line = marked.ReplaceAllString(bases.ReplaceAllString(line, "$1$2"), "$1 $2 $3")
	line = strings.ReplaceAll(noPlace.ReplaceAllString(line, "$1"), "<(null)>", "<"+strings.Repeat("0", 32)+">")
	return hexadecimal.ReplaceAllStringFunc(line, func(s string) string {
		n, _ := strconv.ParseUint(s[len(" + 0x"):], 16, 64)
		return fmt.Sprintf(" + %d", n)
	})
}

// crashFacts are the lines up to the end of the lists of images, but for the registers.
func crashFacts(text string) (facts []string) {
	section, listed := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		images := strings.HasPrefix(line, "Binary Images")
		switch {
		case line == "":
			section = ""
			continue
		case images:
			listed, section = true, "images"
		case registers.MatchString(line), listed && section == "":
			section = "out"
		case strings.HasPrefix(line, "Thread ") || strings.HasPrefix(line, lastException) || strings.HasPrefix(line, "Application Specific Backtrace"):
			section = line
		}
		if section != "out" && !nameless.MatchString(line) {
			facts = append(facts, crashFact(line))
		}
	}
	return facts
}

// ipsFacts are the values of an .ips file by where they stand; frames are in an image, not in
// the one of a number.
func ipsFacts(text string) (facts []string) {
	head, body, _ := strings.Cut(text, "\n")
	var header, payload map[string]any
	_ = json.Unmarshal([]byte(head), &header)
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	_ = d.Decode(&payload)
	images, _ := payload["usedImages"].([]any)
	imageOf := func(n any) any {
		var i int
		if _, err := fmt.Sscan(fmt.Sprint(n), &i); err != nil || i < 0 || i >= len(images) {
			return n
		}
		im, _ := images[i].(map[string]any)
		return fmt.Sprint(im["uuid"], im["base"])
	}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, below := range v {
				if key == "imageIndex" {
					below = imageOf(below)
				}
				walk(path+"."+key, below)
			}
		case []any:
			for i, below := range v {
				at := fmt.Sprintf("%s[%d]", path, i)
				if path == ".usedImages" {
					im, _ := below.(map[string]any)
					at = fmt.Sprint(path, im["uuid"], im["base"])
				}
				walk(at, below)
			}
		default:
			facts = append(facts, fmt.Sprintf("%s = %v", path, v))
		}
	}
	walk("header", header)
	walk("", payload)
	slices.Sort(facts)
	return facts
}
