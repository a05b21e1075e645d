package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

var writers = map[string]Writer{
	"tree": Tree(Options{}), "color": Tree(Options{Color: true}), "heavy": Heavy(Options{}),
	"json": JSON, "json line": JSONLine, "folded": Folded,
	"pprof": Pprof, "speedscope": Speedscope, "otlp": OTLP(Options{}),
}

var profiles = map[string]func() *profile.Profile{
	"linux": linux, "darwin": darwin, "no threads": noThreads, "hostile": hostile, "sampled": sampled,
	"deep":  func() *profile.Profile { return recursion(2_000) },
	"empty": func() *profile.Profile { return &profile.Profile{} },
}

var errFull = errors.New("disk full")

// full takes some bytes and then no more.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n := f.room
		f.room = 0
		return n, errFull
	}
	f.room -= len(p)
	return len(p), nil
}

// A report that could not be written to its end is an error, wherever it broke.
func TestWriteErrors(t *testing.T) {
	for name, write := range writers {
		for kind, p := range profiles {
			size := len(written(t, write, p()))
			for _, room := range []int{0, 1, size / 2, size - 1} {
				if size == 0 || room < 0 {
					continue
				}
				if err := write(&full{room}, p()); !errors.Is(err, errFull) {
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
		if err := write(w, linux()); err == nil {
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
		got := written(t, write, hostile())
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
	small, large := len(written(t, JSON, recursion(1000))), len(written(t, JSON, recursion(9000)))
	if large > 10*small {
		t.Errorf("json: %d bytes for 1,000 frames, %d for 9,000", small, large)
	}
	p := staircase()
	if n := len(written(t, Tree(Options{}), p)); n > 70*200+1000 {
		t.Errorf("tree: %d bytes for 70 frames", n)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "main", "a\x1b[31m", "\xff", "\\x1b", "é\u202e", longName()} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = 4 + limit&0xff
		got := clean(s, limit)
		if n := utf8.RuneCountInString(got); n > (limit+1)*10 {
			t.Errorf("%d runes for a limit of %d", n, limit)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Errorf("clean(%q) = %q", s, got)
			}
		}
	})
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"main":          "main",
		`a\nb`:          `a\\nb`,
		"a\nb\tc\r":     `a\nb\tc\x0d`,
		"\x1b[2J":       `\x1b[2J`,
		"\xc3(":         `\xc3(`,
		"naïve ☃":       "naïve ☃",
		"\u202e\u0085":  `\u202e\u0085`,
		"\U000e0041":    `\U000e0041`,
		"\ufffd":        "\ufffd",
		"0123456789abc": "01234567…bc",
	} {
		if got := clean(in, 10); got != want {
			t.Errorf("clean(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestUnits(t *testing.T) {
	for got, want := range map[string]string{
		count(0): "0", count(999): "999", count(1000): "1,000", count(-1234567): "-1,234,567",
		plural(1, "thread"): "1 thread", plural(2000, "thread"): "2,000 threads",
		duration(12):                          "12 ns",
		duration(2500):                        "2.5 µs",
		duration(212 * time.Microsecond):      "212 µs",
		duration(9800 * time.Microsecond):     "9.8 ms",
		duration(250 * time.Millisecond):      "250 ms",
		duration(10 * time.Second):            "10.00 s",
		share(98, 100_000):                    "0.10 %",
		share(1, 0):                           "0 %",
		threadID(task.Linux, 26):              "26",
		threadID(task.Darwin, 26):             "0x1a",
		imageID(task.Linux, make([]byte, 16)): strings.Repeat("00", 16),
		imageID(task.Darwin, make([]byte, 4)): "00000000",
		imageID(task.Darwin, nil):             "",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The nodes give every stack back: each node's depth and parent agree, and its
// samples are those of its children and its own.
func TestJSONNodes(t *testing.T) {
	for kind, p := range profiles {
		var d jsonDocument
		if err := json.Unmarshal(written(t, JSONLine, p()), &d); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		for _, th := range d.Threads {
			checkNodes(t, fmt.Sprint(kind, " thread ", th.ID), th.Nodes)
		}
	}
}

func checkNodes(t *testing.T, what string, nodes []jsonNode) {
	below := make([]int, len(nodes))
	for i, n := range nodes {
		if n.Parent >= i || (n.Parent < 0) != (n.Depth == 0) || n.Depth > 0 && nodes[n.Parent].Depth != n.Depth-1 {
			t.Errorf("%s: node %d at depth %d has parent %d", what, i, n.Depth, n.Parent)
			return
		}
		if n.Parent >= 0 {
			below[n.Parent] += n.Count
		}
	}
	for i, n := range nodes {
		if n.Count != n.Self+below[i] {
			t.Errorf("%s: node %d: %d samples, %d its own and %d below", what, i, n.Count, n.Self, below[i])
		}
	}
}

func TestJSONLineIsOneLine(t *testing.T) {
	got := written(t, JSONLine, hostile())
	if bytes.IndexByte(got, '\n') != len(got)-1 {
		t.Error("more than one line")
	}
	var line, indented any
	if err := json.Unmarshal(got, &line); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(written(t, JSON, hostile()), &indented); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(line) != fmt.Sprint(indented) {
		t.Error("the two forms differ")
	}
}

// Names are escaped in JSON without being changed.
func TestJSONKeepsNames(t *testing.T) {
	var d jsonDocument
	if err := json.Unmarshal(written(t, JSON, hostile()), &d); err != nil {
		t.Fatal(err)
	}
	if want := hostile().Threads[0].Name; d.Threads[0].Name != want {
		t.Errorf("got %q, want %q", d.Threads[0].Name, want)
	}
}

// Every key that can occur is described, and so is every word that a key's value
// is chosen from.
func TestJSONIsDescribed(t *testing.T) {
	doc, err := os.ReadFile("JSON.md")
	if err != nil {
		t.Fatal(err)
	}
	words := append(jsonKeys(reflect.TypeFor[jsonDocument]()), jsonKeys(reflect.TypeFor[jsonHang]())...)
	words = append(words, jsonKeys(reflect.TypeFor[jsonGroup]())...)
	for a := range profile.Release {
		words = append(words, (a + 1).String())
	}
	for m := range unwind.ByReport + 1 {
		words = append(words, m.String())
	}
	for r := range unwind.TooDeep {
		words = append(words, (r + 1).String())
	}
	for s := range task.Ended + 1 {
		words = append(words, s.String())
	}
	for _, w := range words {
		if !bytes.Contains(doc, []byte("`"+w+"`")) {
			t.Errorf("JSON.md does not tell of `%s`", w)
		}
	}
}

// jsonKeys lists the keys of a type and of those below it.
func jsonKeys(typ reflect.Type) []string {
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[time.Time]() {
		return nil
	}
	var keys []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous {
			keys = append(keys, key)
		}
		keys = append(keys, jsonKeys(f.Type)...)
	}
	return keys
}

// A folded line is frames, a blank and a number; the numbers add up to the
// samples of all threads.
func TestFoldedLines(t *testing.T) {
	for kind, p := range profiles {
		want, sum := 0, 0
		for _, th := range p().Threads {
			want += th.Samples
		}
		for line := range strings.Lines(string(written(t, Folded, p()))) {
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
	p := darwin()
	if got, want := string(written(t, Folded, p.FoldThreads())), "__psynch_cvwait 2\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in:\n%s", want, got)
	}
}

func TestFoldedNames(t *testing.T) {
	for in, want := range map[string]string{
		"main": "main", "a;b": "a:b", "lambda 12": "lambda_12", "v 1.5": "v_1.5", "f(int) const": "f(int) const", "x12": "x12",
	} {
		n := &profile.Node{Location: profile.Location{Function: in}}
		if got := foldedFrame(n); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := foldedTitle(linux(), &profile.Thread{ID: 26}); got != "Thread 26" {
		t.Errorf("title %q", got)
	}
}

// A cycle is folded only where every frame left out is one of its functions.
func TestFindCycle(t *testing.T) {
	for _, c := range []struct {
		frames string
		want   cycle
	}{
		{"", cycle{}},
		{strings.Repeat("a", 19), cycle{}},
		{strings.Repeat("a", 20) + "b", cycle{1, 20}},
		{strings.Repeat("ab", 10) + "ac", cycle{2, 20}},
		{"b" + strings.Repeat("a", 50), cycle{}},
		{strings.Repeat("abcdefgh", 3), cycle{}},
		{strings.Repeat("abcdefgh", 4), cycle{8, 32}},
		{strings.Repeat("abcdefghi", 9), cycle{}},
		{strings.Repeat("aab", 10), cycle{3, 30}},
	} {
		var chain []*profile.Node
		for _, f := range c.frames {
			chain = append(chain, &profile.Node{Location: profile.Location{Function: string(f)}})
		}
		if got := findCycle(chain); got != c.want {
			t.Errorf("%q: %v, want %v", c.frames, got, c.want)
		}
	}
}

func TestFindCycleKeepsUnknownAndDoubtfulApart(t *testing.T) {
	var overloads []*profile.Node
	for i := range 40 {
		overloads = append(overloads, &profile.Node{Location: profile.Location{Function: "add(_:)", Overload: strconv.Itoa(i % 9)}})
	}
	if got := findCycle(overloads); got.period != 0 {
		t.Errorf("frames of nine overloads: %v", got)
	}
	var unknown []*profile.Node
	for i := range 40 {
		unknown = append(unknown, &profile.Node{PC: task.Addr(i)})
	}
	if got := findCycle(unknown); got.period != 0 {
		t.Errorf("frames of unknown functions: %v", got)
	}
}
