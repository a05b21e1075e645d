package top

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"stacksnap/task"
)

// TestDeadlock is on the second line while it lasts: from the second check on that found it, until
// a check does not, or one of its threads runs.
func TestDeadlock(t *testing.T) {
	const want = `Deadlock: thread 4721 "payer" waits for mutex checking, held by thread 4722 "clerk", which waits for mutex savings, held by thread 4721 "payer"`
	for name, c := range map[string]struct {
		change func(*script)
		want   string
	}{
		"twice":    {func(s *script) {}, want},
		"once":     {func(s *script) { s.deadlocks[0].Looks = 1 }, ""},
		"ended":    {func(s *script) { s.deadlocks[0].Ended = true }, ""},
		"runs":     {func(s *script) { s.thread(4722, task.Running, 0, "start") }, ""},
		"unknown":  {func(s *script) { s.threads = s.threads[:1] }, want}, // not one of the threads to sample
		"two":      {func(s *script) { s.deadlocks = append(s.deadlocks, s.deadlocks[0]) }, strings.Replace(want, ":", " 1 of 2:", 1)},
		"two, one": {func(s *script) { s.deadlocks = append(s.deadlocks, s.deadlocks[0]); s.deadlocks[0].Ended = true }, want},
	} {
		s := newScript()
		s.deadlock(leastChecks)
		c.change(s)
		s.sample(1)
		got := ""
		for _, l := range deadlockLine(s.data(), 200) {
			for _, part := range l.spans {
				got += part.text
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestDeadlockIsRed where the terminal has colours, and bold anywhere.
func TestDeadlockIsRed(t *testing.T) {
	s := newScript()
	s.deadlock(leastChecks)
	s.sample(1)
	for _, color := range []bool{true, false} {
		screen := tcell.NewSimulationScreen("UTF-8")
		if err := screen.Init(); err != nil {
			t.Fatal(err)
		}
		screen.SetSize(80, 24)
		newPainter(screen, color, false).paint(newState().page(s.data(), 80, 24))
		cells, width, _ := screen.GetContents()
		foreground, _, attributes := cells[width].Style.Decompose()
		if word := cells[width].Runes[0]; word != 'D' || (foreground == tcell.ColorMaroon) != color || attributes&tcell.AttrBold == 0 {
			t.Errorf("%c, %v, %v", word, foreground, attributes)
		}
		screen.Fini()
	}
}
