package pick

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"stacksnap/format/command/cli"
	"stacksnap/task"
)

// servers are three processes of one name.
func servers() *Choice {
	now := time.Unix(1e9, 0)
	return &Choice{
		title: `4 processes are named "nginx"`, now: now, pids: []int{40, 41, 402, 2}, more: 1,
		shown: []chosen{
			{Candidate: task.Candidate{PID: 40, ParentPID: 1}, Details: task.Details{
				CPU: 1500 * time.Millisecond, Start: now.Add(-50 * time.Hour),
				Command: task.Command{Args: []string{"nginx:", "master\x1b[2J"}}}},
			{Candidate: task.Candidate{PID: 41, ParentPID: 40, Path: "/sbin/nginx"}, Details: task.Details{User: 4294967294, CPU: 3 * time.Minute, Start: now.Add(-time.Minute)}},
			{Candidate: task.Candidate{PID: 402, Name: "ng"}, Details: task.Details{User: -1, CPU: -1}},
		},
	}
}

func TestChoiceIsListed(t *testing.T) {
	got := servers().lines(80, true)
	for i, want := range []string{
		`4 processes are named "nginx":`, "PID  PARENT",
		`1)   40       1`, `2)   41      40  4294967294  3m0s  1m0s  [/sbin/nginx]`, `3)  402       ?           ?     ?     ?  [ng]`, "  and 1 more",
	} {
		if !strings.Contains(got[i], want) {
			t.Errorf("%q, want %q", got[i], want)
		}
	}
	if !strings.Contains(got[2], ` 1.5s  2d2h  nginx: "master\x1b[2J"`) {
		t.Errorf("%q", got[2])
	}
	loaded := servers()
	loaded.shown[0].load = "95%"
	if got := loaded.lines(80, true)[2]; !strings.Contains(got, "  95%  2d2h") {
		t.Errorf("%q", got)
	}
	plain := servers().lines(40, false)
	if !strings.HasSuffix(plain[0], "choose one by -p PID:") || strings.Contains(plain[2], "1)") {
		t.Errorf("%q", plain)
	}
	for _, line := range plain[1:] {
		if n := utf8.RuneCountInString(line); n > 40 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}

// TestNarrowChoice: what to choose by is told in few columns, too.
func TestNarrowChoice(t *testing.T) {
	for columns, want := range map[int]string{
		80: "      PID  PARENT        USER   CPU   AGE  COMMAND",
		60: "      PID  PARENT        USER   CPU  COMMAND",
		50: "      PID        USER   CPU  COMMAND",
		40: "      PID  COMMAND",
		20: "      PID  COMMAND",
		3:  "   ",
	} {
		lines := servers().lines(columns, true)
		if lines[1] != want {
			t.Errorf("%d columns: %q, want %q", columns, lines[1], want)
		}
		if columns >= 40 && !strings.Contains(lines[2], `  nginx: "master`) {
			t.Errorf("%d columns: %q", columns, lines[2])
		}
		for _, line := range lines[1:4] {
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%d of %d columns: %q", n, columns, line)
			}
		}
	}
}

func TestChoiceIsMade(t *testing.T) {
	for answer, want := range map[string]int{
		"1\n": 40, " 3 \n": 402, "41\n": 41, "2": 41, "2\n": 41, // the number in the list before the pid
		"9\nnginx\n-1\n40\n": 40, "": 0, "\n": 0, "9\n": 0, "x\n\n1\n": 0, "q\n": 0, "Quit\n1\n": 0,
	} {
		var out strings.Builder
		got, err := servers().read(t.Context(), strings.NewReader(answer), &out)
		if got != want || (err == nil) != (want != 0) || err != nil && (!errors.Is(err, ErrNotChosen) || !errors.As(err, new(cli.UsageError))) {
			t.Errorf("%q: %d, %v", answer, got, err)
		}
		if !strings.HasPrefix(out.String(), "Which? 1 to 3, or a pid; q leaves: ") {
			t.Errorf("%q", out.String())
		}
	}
}

// TestWrongAnswerSaysWhy, and asks again.
func TestWrongAnswerSaysWhy(t *testing.T) {
	var out strings.Builder
	if pid, err := servers().read(t.Context(), strings.NewReader("9\x1b\n2\n"), &out); pid != 41 || err != nil {
		t.Errorf("%d, %v", pid, err)
	}
	const asks = "Which? 1 to 3, or a pid; q leaves: "
	if want := asks + `"9\x1b" is neither a number of the list nor the pid of one of these processes` + "\n" + asks; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestChoosingEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, end := io.Pipe()
	defer end.Close()
	cancel()
	if _, err := servers().read(ctx, in, io.Discard); !errors.Is(err, ErrNotChosen) {
		t.Error(err)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"äöü", 2, "äö"}, {"a漢字", 4, "a漢"}, {"a漢字", 5, "a漢字"}, {"", 0, ""}, {"a", 0, ""}} {
		if got := cut(c.line, c.columns); got != c.want {
			t.Errorf("%q in %d: %q", c.line, c.columns, got)
		}
	}
}

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 1550 * time.Millisecond: "1.5s", 10 * time.Second: "10s", 61 * time.Second: "1m1s",
		3*time.Hour + 59*time.Minute: "3h59m", 49 * time.Hour: "2d1h", 1<<63 - 1: "106751d23h",
	} {
		if got := Brief(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestAligned(t *testing.T) {
	got := aligned([][]string{{"a", "bbb", "c"}, {"aaa", "b", "ccc"}})
	if want := []string{"    a  bbb  c", "  aaa    b  ccc"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
