package top

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"stacksnap/task"
	"stacksnap/unwind"
)

// press types keys: words such as Enter, and letters.
func press(s *state, d *data, keys string) (last action) {
	names := map[string]tcell.Key{
		"Enter": tcell.KeyEnter, "Esc": tcell.KeyEscape, "Tab": tcell.KeyTab, "Backtab": tcell.KeyBacktab, "Up": tcell.KeyUp, "Down": tcell.KeyDown,
		"PgUp": tcell.KeyPgUp, "PgDn": tcell.KeyPgDn, "Home": tcell.KeyHome, "End": tcell.KeyEnd, "Backspace": tcell.KeyBackspace2,
		"Ctrl-C": tcell.KeyCtrlC, "Ctrl-L": tcell.KeyCtrlL, "Ctrl-U": tcell.KeyCtrlU, "Ctrl-W": tcell.KeyCtrlW, "Ctrl-Z": tcell.KeyCtrlZ,
		"F1": tcell.KeyF1, "F4": tcell.KeyF4, "F10": tcell.KeyF10,
	}
	for word := range strings.FieldsSeq(keys) {
		if k, ok := names[word]; ok {
			last = s.key(tcell.NewEventKey(k, 0, tcell.ModNone), d)
			continue
		}
		for _, r := range word {
			last = s.key(tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone), d)
		}
	}
	return last
}

// worked is a view of work that was sampled.
func worked(samples int) (*state, *data) {
	s := newScript()
	s.work(samples)
	d, v := s.data(), newState()
	v.choose(d)
	return v, d
}

func functionNames(s *state, d *data) string {
	var names []string
	for _, r := range s.functionRows(s.of(d)) {
		names = append(names, r.name)
	}
	return strings.Join(names, " ")
}

// TestOrder of functions by each column, reversed, and by the keys of both kinds.
func TestOrder(t *testing.T) {
	for keys, want := range map[string]string{
		"":                           "seventy twenty ten main start",
		"1":                          "seventy twenty ten main start",
		"2":                          "main start seventy twenty ten",
		"3":                          "seventy twenty ten main start",
		"4":                          "main start seventy twenty ten",
		"5":                          "main seventy start ten twenty",
		"5 r":                        "twenty ten start seventy main",
		">":                          "main start seventy twenty ten",
		"> <":                        "seventy twenty ten main start",
		"<":                          "main seventy start ten twenty",
		"5 >":                        "seventy twenty ten main start",
		"r":                          "main start ten twenty seventy",
		"6 0 1":                      "seventy twenty ten main start",
		"w 5":                        "main poll seventy start ten twenty wait",
		"w w 5":                      "main seventy start ten twenty",
		"w 2":                        "start main poll wait seventy twenty ten",
		"t w 5":                      "main seventy start ten twenty",
		"Tab Down t w Backtab 5":     "poll start wait",
		"Tab Down t w Backtab 5 Esc": "main poll seventy start ten twenty wait",
	} {
		v, d := worked(1000)
		press(v, d, keys)
		if got := functionNames(v, d); got != want {
			t.Errorf("%s: %s, want %s", keys, got, want)
		}
	}
}

// TestThreadOrder likewise.
func TestThreadOrder(t *testing.T) {
	s := newScript()
	for i, c := range []struct {
		name, in string
		state    task.State
	}{{"b", "z", task.Running}, {"c", "y", task.Sleeping}, {"a", "x", task.Uninterruptible}} {
		id := task.ThreadID(10 - i)
		s.thread(id, c.state, 0, c.in)
		s.threads[i].Name = c.name
		s.sample(1)
	}
	s.thread(8, task.Uninterruptible, 4*tick, "x")
	s.thread(10, task.Running, 2*tick, "z")
	s.sample(1)
	for keys, want := range map[string]string{
		"": "8 10 9", "1": "8 9 10", "1 r": "10 9 8", "2": "8 10 9", "3": "8 10 9", "3 r": "9 10 8", "4": "10 9 8", "5": "8 9 10", "< <": "8 9 10",
	} {
		v, d := newState(), s.data()
		press(v, d, "Tab "+keys)
		var got []string
		for _, r := range v.threadRows(d) {
			got = append(got, r.label)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", keys, got, want)
		}
	}
}

// TestFilter is in force while it is typed; what it was comes back by Esc, and what is no
// regular expression is none.
func TestFilter(t *testing.T) {
	for keys, want := range map[string]string{
		"/ t.n":                        "ten",
		"/ t.n Enter":                  "ten",
		"/ T Enter":                    "",
		"/ PROG Enter":                 "",
		"/ prog Enter":                 "seventy twenty ten main start",
		"/ ten Enter / ain":            "",
		"/ ten Enter / Ctrl-U ain":     "main",
		"/ ten Enter / Ctrl-U ain Esc": "ten",
		"/ ten Enter Esc":              "seventy twenty ten main start",
		"/ ten Backspace Backspace":    "seventy twenty ten start",
		"/ tw Backspace Backspace Backspace Backspace Enter": "seventy twenty ten main start",
		"/ ma(":            "main",
		"/ ma( Enter":      "main",
		"/ ma(|ten) Enter": "main",
		"F4 ^ma Enter":     "main",
		"/ q":              "",
		"Tab Tab / ^ten":   "ten", // the stack has no rows
	} {
		v, d := worked(500)
		if a := press(v, d, keys); a != (action{}) {
			t.Errorf("%s: %+v", keys, a)
		}
		if got := functionNames(v, d); got != want {
			t.Errorf("%s: %q, want %q", keys, got, want)
		}
		if open := v.prompt != nil; open == (strings.HasSuffix(keys, "Enter") && !strings.HasSuffix(keys, "ma( Enter") || strings.HasSuffix(keys, "Esc")) {
			t.Errorf("%s: open %v", keys, open)
		}
	}
	v, d := worked(500)
	press(v, d, "Tab / 12 Enter")
	if rows := v.threadRows(d); len(rows) != 1 || rows[0].id != 4712 {
		t.Errorf("%v", rows)
	}
	press(v, d, "/ Ctrl-U pipe Enter")
	if rows := v.threadRows(d); len(rows) != 1 || rows[0].id != 4712 {
		t.Errorf("%v", rows)
	}
	press(v, d, "/ "+strings.Repeat("x", 2*maxTyped))
	if len(v.prompt.text) > maxTyped {
		t.Error("what is typed is not bounded")
	}
}

// TestMove chooses rows, not beyond the first and the last; a function stays chosen where
// the order changes.
func TestMove(t *testing.T) {
	for keys, want := range map[string]string{
		"": "", "Down": "seventy", "Up": "seventy", "Down Down": "twenty", "j j k": "seventy", "End": "start", "End Down": "start", "G g": "seventy",
		"PgDn": "twenty", "PgDn PgDn PgDn": "start", "End PgUp": "ten", "Down 5": "seventy", "Down 5 Down": "start", "/ nothing Enter Down": "",
	} {
		v, d := worked(500)
		v.height = 3
		press(v, d, keys)
		got := ""
		if v.function >= 0 {
			got = d.functions[v.function].name
		}
		if got != want {
			t.Errorf("%s: %q, want %q", keys, got, want)
		}
	}
	for keys, want := range map[string]task.ThreadID{"": 4711, "Tab Down": 4712, "Tab Down Down": 4712, "Tab Down Up": 4711, "Tab End Home": 4711} {
		v, d := worked(500)
		press(v, d, keys)
		if v.choose(d); v.thread != want {
			t.Errorf("%s: %d, want %d", keys, v.thread, want)
		}
	}
}

// TestChoice of a thread unless a person makes it: that which works most, once that is
// known; another one when it has ended.
func TestChoice(t *testing.T) {
	s, v := newScript(), newState()
	v.choose(s.data())
	s.thread(1, task.Sleeping, 0, "a")
	s.thread(2, task.Running, 0, "b")
	s.thread(3, task.Running, 0, "c")
	step := func(want task.ThreadID) {
		t.Helper()
		if v.choose(s.data()); v.thread != want {
			t.Errorf("thread %d, want %d", v.thread, want)
		}
	}
	s.sample(1)
	step(1)
	s.thread(3, task.Running, tick, "c")
	s.sample(1)
	step(3)
	s.sample(200)
	s.thread(2, task.Running, 3*tick, "b")
	s.sample(1)
	step(3) // it stays
	s.threads = s.threads[:2]
	s.sample(1)
	step(2)
	press(v, s.data(), "Tab 1 Home")
	step(1)
	s.threads = s.threads[1:]
	s.sample(1)
	step(2)
}

// TestActions are what keys ask for that is not on the screen.
func TestActions(t *testing.T) {
	for keys, want := range map[string]action{
		"q": {quit: true}, "Q": {quit: true}, "F10": {quit: true}, "Ctrl-C": {quit: true}, "/ Ctrl-C": {quit: true}, "? q": {}, "? q q": {quit: true}, "? Q": {}, "? F10": {}, "? Ctrl-C": {quit: true},
		"Ctrl-Z": {suspend: true}, "Ctrl-L": {repaint: true}, "x": {}, "/ q": {}, "? x": {}, "Esc": {}, "s": {}, "s Esc": {},
		"s Enter":                       {save: "stacksnap-program-4711-030410.txt"},
		"s Ctrl-U it.json Enter":        {save: "it.json"},
		"s Ctrl-U Enter":                {save: "stacksnap-program-4711-030410.txt"},
		"s x Backspace Enter":           {save: "stacksnap-program-4711-030410.txt"},
		"/ ten Enter":                   {},
		"s Ctrl-U a/b/c Ctrl-W d Enter": {save: "a/b/d"},
		"s q Enter":                     {save: "q"},
	} {
		v, d := worked(500)
		if got := press(v, d, keys); got != want {
			t.Errorf("%s: %+v, want %+v", keys, got, want)
		}
	}
	v, d := worked(10)
	d.target.Name = "a/../b\n\u202e c"
	if got := reportName(d); got != "stacksnap-a_.._b___c-4711-030405.txt" {
		t.Error(got)
	}
	press(v, d, "/ TEN Enter t")
	if shown := v.shown(); shown.Focus.String() != "TEN" || shown.Thread != 4711 {
		t.Errorf("%+v", shown)
	}
	press(v, d, "/ Ctrl-U ten Enter t")
	if shown := v.shown(); shown.Focus.String() != "(?i)ten" || shown.Thread != 0 {
		t.Errorf("%+v", shown)
	}
}

// TestFreeze keeps what was shown, also in another order, until it is undone.
func TestFreeze(t *testing.T) {
	s := newScript()
	s.work(100)
	v, before := newState(), s.data()
	press(v, before, "f")
	s.thread(4711, task.Running, tick, "new")
	s.sample(1)
	if got := functionNames(v, s.data()); strings.Contains(got, "new") {
		t.Error(got)
	}
	press(v, s.data(), "5")
	if got := functionNames(v, s.data()); got != "main seventy start ten twenty" {
		t.Error(got)
	}
	v.key(tcell.NewEventKey(tcell.KeyRune, ' ', tcell.ModNone), s.data())
	if got := functionNames(v, s.data()); !strings.Contains(got, "new") {
		t.Error(got)
	}
}

// TestEscape undoes one thing after another.
func TestEscape(t *testing.T) {
	v, d := worked(500)
	press(v, d, "t / e Enter Down Enter z")
	for i, want := range [][4]bool{{true, true, true, true}, {false, true, true, true}, {false, false, true, true}, {false, false, false, true}, {}, {}} {
		if i > 0 {
			press(v, d, "Esc")
		}
		if got := [4]bool{v.zoomed, v.through, v.lists[functionsPane].filter.re != nil, v.only}; got != want {
			t.Errorf("after %d: %v, want %v", i, got, want)
		}
	}
}

// TestCallers of a function, of all threads or of one, with the lines of the calls.
func TestCallers(t *testing.T) {
	s := newScript()
	s.work(1000)
	for _, n := range s.nodes {
		n.File, n.Line = "/src/"+n.Function+".c", 7
	}
	s.nodes[" start main"].Line = 8
	s.nodes[" start main main"].Line = 9
	clear(s.ring.stacks) // as if they were seen for the first time
	s.ring.parts, s.ring.size = nil, 0
	s.work(1000)
	d := s.data()
	for keys, want := range map[string][]string{
		"/ ^seventy Enter Down Enter":    {"   70.0  seventy (program)", "   70.0  main (main.c:8)", "   70.0  start (start.c:7)"},
		"/ ^twenty Enter Down Enter i":   {"   20.0  twenty (program)", "   20.0  main (main.c:9)", "   20.0  main (main.c:8)", "   20.0  start (start.c:7)"},
		"/ ^main Enter Down Enter":       {"  100.0  main (program)", "  100.0  start (start.c:7)"},
		"w / ^start Enter Down Enter":    {"  100.0  start (program)"},
		"w / ^wait Enter Down Enter":     {"   50.0  wait (program)", "   50.0  start (start.c:7)"},
		"w / ^wait Enter Down Enter t":   {"  none with wait in this time"},
		"w / ^wait Enter Down Enter w":   {"  none with wait in this time"},
		"w / ^poll Enter Down Enter Esc": nil,
	} {
		v := newState()
		v.choose(d)
		press(v, d, keys)
		if v.through != (want != nil) {
			t.Errorf("%s: %v", keys, v.through)
		}
		if want == nil {
			continue
		}
		var got []string
		for _, l := range v.stackPane(d, 80, 20)[1:] {
			line := ""
			for _, part := range l.spans {
				line += part.text
			}
			got = append(got, line)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", keys, got, want)
		}
	}
}

// TestCallersBranch: several callers are below what they call, the one with most first; frames that
// a stack lacks are marked, and what shows as nothing is left out.
func TestCallersBranch(t *testing.T) {
	s := newScript()
	var long []string
	for i := range maxFrames + 5 {
		long = append(long, fmt.Sprint("f", i))
	}
	s.thread(1, task.Running, 0, "main")
	s.sample(1)
	for path, n := range map[string]int{"main a work": 300, "main b work": 600, "main c work": 100, "main work": 1000, "main d work": 1, strings.Join(long, " ") + " work": 10} {
		for range n {
			s.thread(1, task.Running, tick/4, path)
			s.sample(1)
		}
	}
	s.cut = unwind.NotCaptured
	for range 100 {
		s.thread(1, task.Running, tick/4, "x work")
		s.sample(1)
	}
	d, v := s.data(), newState()
	v.window = len(windows) - 1
	press(v, d, "/ ^work Enter Down Enter")
	_, lines := v.callersPane(d, 80)
	var got []string
	for _, l := range lines {
		line := ""
		for _, part := range l.spans {
			line += part.text
		}
		got = append(got, line)
	}
	start := []string{
		"  100.0  work (program)", "   47.4    main (program)", "   28.4    b (program)", "   28.4      main (program)", "   14.2    a (program)", "   14.2      main (program)",
		"    4.7    c (program)", "    4.7      main (program)", "    4.7    x (program)", "    4.7      <stack cut here: stack not captured further>",
		"    0.5    f260 (program)", "    0.5      f259 (program)", "    0.5      f258 (program)",
	}
	if !slices.Equal(got[:len(start)], start) || !slices.Contains(got, "    0.5      … 6 frames") || got[len(got)-1] != "    0.5      f0 (program)" || len(got) != 10+maxFrames {
		t.Errorf("%d lines:\n%s", len(got), strings.Join(got[:20], "\n"))
	}
}

// TestEqualThreadsKeepTheirOrder, with the main thread first, however little they differ in
// what is not shown.
func TestEqualThreadsKeepTheirOrder(t *testing.T) {
	s := newScript()
	for _, id := range []task.ThreadID{4709, 4710, 4711, 4712} {
		s.thread(id, task.Sleeping, 0, "main wait")
	}
	s.sample(500)
	for _, id := range []task.ThreadID{4712, 4709, 4710} {
		s.thread(id, task.Running, 100*time.Microsecond, "main wait") // 0.002 %
		s.sample(1)
		var got []string
		v, d := newState(), s.data()
		for _, r := range v.threadRows(d) {
			got = append(got, r.label)
		}
		if want := "4711 4709 4710 4712"; strings.Join(got, " ") != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
