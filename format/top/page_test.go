package top

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

var update = flag.Bool("update", false, "write testdata/screens anew")

// screen is what a terminal of that size shows of a page, by lines.
func screen(t *testing.T, v *state, d *data, width, height int, ascii bool) string {
	t.Helper()
	s := tcell.NewSimulationScreen("UTF-8")
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	defer s.Fini()
	s.SetSize(width, height)
	newPainter(s, true, ascii).paint(v.page(d, width, height))
	return contents(s)
}

func contents(s tcell.SimulationScreen) string {
	cells, width, height := s.GetContents()
	var b strings.Builder
	for y := range height {
		var line strings.Builder
		for _, c := range cells[y*width : (y+1)*width] {
			line.WriteString(string(c.Runes))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// TestScreens are what a person sees: of sizes, and after keys.
func TestScreens(t *testing.T) {
	dead := newScript()
	dead.deadlock(leastChecks)
	dead.work(700)
	for _, c := range []struct {
		name, keys    string
		width, height int
		end           string
		ascii         bool
		script        *script // nil: of work
		every         int
	}{
		{name: "plain", width: 80, height: 24},
		{name: "wide", width: 120, height: 30, keys: "w Tab"},
		{name: "narrow", width: 40, height: 12, keys: "Tab Down"},
		{name: "least", width: 12, height: 5},
		{name: "thread", width: 80, height: 24, keys: "Tab Down Enter"},
		{name: "through", width: 80, height: 24, keys: "/ ^seventy Enter Down Enter"},
		{name: "filtered", width: 80, height: 24, keys: "/ ^(ten|twenty) Enter - - t f"},
		{name: "typing", width: 60, height: 14, keys: "/ a( Tab"},
		{name: "saving", width: 30, height: 14, keys: "s"},
		{name: "saving_to", width: 80, height: 8, keys: "s"},
		{name: "nothing", width: 80, height: 16, keys: "/ nothing Enter"},
		{name: "help", width: 80, height: 24, keys: "?"},
		{name: "ended", width: 80, height: 14, end: "process 4711 has exited"},
		{name: "deadlock", width: 80, height: 24, script: dead},
		{name: "deadlock_narrow", width: 30, height: 12, script: dead},
		{name: "alike", width: 80, height: 14, script: pool(), keys: "Tab"},
		{name: "slowed", width: 80, height: 8, every: 4},
		{name: "ascii", width: 80, height: 14, ascii: true, keys: "Tab r"},
	} {
		v, d := worked(700)
		if c.script != nil {
			v, d = newState(), c.script.data()
		}
		v.ended, v.stops, v.maxStopped = c.end, true, .02
		d.Every = c.every
		screen(t, v, d, c.width, c.height, c.ascii) // keys act on what is shown
		press(v, d, c.keys)
		got := screen(t, v, d, c.width, c.height, c.ascii)
		file := filepath.Join("testdata", "screens", c.name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || got != string(want) {
			t.Errorf("%s: %v\n%s (go test ./format/top -update writes it)", c.name, err, cmp.Diff(string(want), got))
		}
	}
}

// hostile are names that a target may give its functions, threads and files.
var hostile = []string{
	"a\x1b[31m\x1b]0;title\x07b", "\u202egnirts", "two\nlines\r\tand", "\xff\xfe", strings.Repeat("std::vector<", 900), "日本語の関数名関数名関数名", "e\u0301\u0301\u0301x",
	`"';<script>`, "", "\u200b\u200d👩‍👩‍👧‍👦", "\x9b31m", "\x00",
}

// TestHostileNames are no code for a terminal, and everything fits into any size, in any
// view.
func TestHostileNames(t *testing.T) {
	s := newScript()
	for i, name := range hostile {
		id := task.ThreadID(i + 1)
		path := []*profile.Node{
			{Location: profile.Location{Function: "main"}},
			{Location: profile.Location{Function: name, Image: &profile.Image{Path: "/x/" + name}}, By: unwind.ByScan},
		}
		s.paths[id] = path
		s.threads = append(s.threads, task.Thread{ID: id, Name: name, State: task.State(i % 6), User: 1})
		s.looks = append(s.looks, profile.Look{Thread: id, Wait: &profile.Wait{Call: "read", Object: name}})
	}
	s.cut = unwind.NotCaptured
	s.target.Name = strings.Join(hostile, "")
	s.sample(3)
	for _, keys := range []string{"", "w", "w Tab", "w Tab Tab i", "w Down Down Enter", "Tab Down Enter", "?", "s", "/ \u202e\x1b日本", "w f t"} {
		v, d := newState(), s.data()
		v.ended = "ended " + "日本語"
		press(v, d, keys)
		for _, size := range [][2]int{{80, 24}, {200, 60}, {37, 11}, {20, 8}, {3, 3}, {1, 1}, {0, 0}, {80, 2}, {2, 40}} {
			page := v.page(d, size[0], size[1])
			if len(page) != size[1] {
				t.Errorf("%s: %d lines, want %d", keys, len(page), size[1])
			}
			for _, l := range page {
				for _, part := range l.spans {
					if i := strings.IndexFunc(part.text, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
						t.Errorf("%s: %q", keys, part.text)
					}
				}
			}
			if size[0] > 0 && size[1] > 0 {
				checkCells(t, screen(t, v, d, size[0], size[1], size[1]%2 == 0))
			}
		}
	}
}

func checkCells(t *testing.T, shown string) {
	t.Helper()
	for _, r := range strings.ReplaceAll(shown, "\n", "") {
		if !unicode.IsPrint(r) {
			t.Errorf("%q in\n%s", r, shown)
		}
	}
}

// TestASCII shows nothing else where the terminal does not.
func TestASCII(t *testing.T) {
	s := newScript()
	s.thread(1, task.Running, tick, "größe "+strings.Repeat("ä", 200))
	s.sample(5)
	shown := screen(t, newState(), s.data(), 80, 20, true)
	if i := strings.IndexFunc(shown, func(r rune) bool { return r > unicode.MaxASCII }); i >= 0 || !strings.Contains(shown, `gr\u00f6\u00dfe`) {
		t.Errorf("%s", shown)
	}
}

// TestSizes of panes: all lines are used, and each pane has some, or there is one alone.
func TestSizes(t *testing.T) {
	for height := range 60 {
		for _, n := range [][2]int{{0, 0}, {1, 1}, {3, 1}, {100, 1}, {100, 100}, {5, 1000}} {
			sizes := sizesOf(height, n[0], n[1])
			if sizes == nil {
				if height > 10 {
					t.Errorf("%d lines are too few for %v", height, n)
				}
				continue
			}
			if sizes[0]+sizes[1]+sizes[2] != height || sizes[0] < 2 || sizes[2] < leastStack || sizes[1] > n[1]+1 {
				t.Errorf("%d lines for %v: %v", height, n, sizes)
			}
		}
	}
}

// TestStackMoves to both ends, and no further, whichever frame is first.
func TestStackMoves(t *testing.T) {
	s := newScript()
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("f%02d", i)
	}
	s.thread(1, task.Running, tick, strings.Join(names, " "))
	s.sample(2)
	d := s.data()
	for keys, want := range map[string][2]string{
		"": {"f99", "f93"}, "Down": {"f98", "f92"}, "Up": {"f99", "f93"}, "End": {"f06", "f00"}, "End Up": {"f07", "f01"}, "PgDn": {"f93", "f87"}, "End Home": {"f99", "f93"},
		"i": {"f93", "f99"}, "i Up": {"f92", "f98"}, "i Down": {"f93", "f99"}, "i Home": {"f00", "f06"}, "i Home Down": {"f01", "f07"}, "End i": {"f93", "f99"},
	} {
		v := newState()
		v.focus, v.zoomed = stackPane, true
		v.page(d, 80, 10)
		for key := range strings.FieldsSeq(keys) {
			press(v, d, key)
			v.page(d, 80, 10)
		}
		lines := v.page(d, 80, 10)
		first, last := fmt.Sprint(lines[2].spans), fmt.Sprint(lines[8].spans)
		if !strings.Contains(first, want[0]) || !strings.Contains(last, want[1]) {
			t.Errorf("%s: from %s to %s, want %v", keys, first, last, want)
		}
	}
}

// TestRowsAreSeen: the chosen row always is.
func TestRowsAreSeen(t *testing.T) {
	l := &list{}
	for _, c := range []struct{ n, at, height, first, last int }{
		{100, 0, 10, 0, 10}, {100, 9, 10, 0, 10}, {100, 10, 10, 1, 11}, {100, 99, 10, 90, 100}, {100, 95, 10, 90, 100}, {100, 89, 10, 89, 99},
		{5, 4, 10, 0, 5}, {0, -1, 10, 0, 0}, {100, -1, 10, 0, 10}, {100, 50, 1, 50, 51}, {100, 3, 0, 3, 3},
	} {
		if first, last := l.rows(c.n, c.at, c.height); first != c.first || last != c.last {
			t.Errorf("%+v: %d to %d", c, first, last)
		}
	}
}

// TestClock writes times in few columns.
func TestClock(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0.00s", 9.999: "10.00s", 99.5: "99.50s", 100: "1m40s", 3599: "59m59s", 3600: "1h00m", 360000: "100h00m"} {
		if got := clock(time.Duration(seconds * float64(time.Second))); got != want {
			t.Errorf("%v: %s, want %s", seconds, got, want)
		}
	}
}
