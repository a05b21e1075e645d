package apple

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/unwind"
)

func timelineOf(t testing.TB, all ...*profile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	if err := SpindumpTimeline(&b, report.OfGroup(&profile.Group{Profiles: all}), words.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// framesOf are the lines of a report's call trees, without what threads did there.
func framesOf(report string) (lines []string) {
	_, trees, _ := strings.Cut(report, "\n"+spinProcess)
	for _, line := range stacksOf(trees) {
		if strings.Contains(line, addressMark) || strings.Contains(line, "backtrace>") || strings.Contains(line, omitted) {
			lines = append(lines, line)
		}
	}
	return lines
}

// A timeline that is read and written is the same; real ones are in [TestSpindumpIsRebuilt].
func TestTimelineIsWrittenAsItWas(t *testing.T) {
	text, _, _ := bytes.Cut(timelineReport(t), []byte("\n"+spinBinary))
	want := framesOf(string(text))
	if diff := cmp.Diff(want, framesOf(timelineOf(t, readAll(t, text)...))); diff != "" || len(want) != 10 {
		t.Errorf("%d lines: -report +written:\n%s", len(want), diff)
	}
}

// stacked makes a profile of samples of one thread, each a stack of addresses, outermost
// first; a nil one lacks the thread. Odd samples found it running.
func stacked(stacks ...[]task.Addr) *profile.Profile {
	b := profile.NewBuilder(task.Info{PID: 7, Name: "it", OS: task.Linux}, "stacksnap")
	b.KeepTimelines()
	start := time.Unix(1e9, 0)
	for i, stack := range stacks {
		s := &task.Snapshot{Time: start.Add(time.Duration(i) * time.Second)}
		var its []profile.Stack
		if stack != nil {
			var frames []unwind.Frame
			for k := len(stack) - 1; k >= 0; k-- {
				frames = append(frames, unwind.Frame{PC: stack[k]})
			}
			s.Threads, its = []task.Thread{{ID: 7, State: task.Sleeping}}, []profile.Stack{{Frames: frames}}
			if i%2 == 1 {
				s.Threads[0].State = task.Running
			}
		}
		b.Add(s, its, nil)
	}
	p := b.Profile()
	p.Interval = time.Second
	p.Images = []*profile.Image{{Path: "/it", Load: 0x1000, End: 0x2000}}
	return p
}

func TestTimelineLines(t *testing.T) {
	deep := make([]task.Addr, maxLevels+9)
	for i := range deep {
		deep[i] = task.Addr(i + 1)
	}
	for name, c := range map[string]struct {
		stacks [][]task.Addr
		want   string
	}{
		"one":     {[][]task.Addr{{1, 2}}, "  1  ??? [0x1] 1\n    1  ??? [0x2] 1\n"},
		"states":  {[][]task.Addr{{1}, {1}, {1}}, "  1  ??? [0x1] 1\n  1  ??? [0x1] (running) 2\n  1  ??? [0x1] 3\n"},
		"called":  {[][]task.Addr{{1}, {1, 2}, {1}, {1}}, "  4  ??? [0x1] 1-4\n    1  ??? [0x2] (running) 2\n"},
		"caller":  {[][]task.Addr{{9}, {1, 2}, {1}}, "  1  ??? [0x9] 1\n  2  ??? [0x1] 2-3\n    1  ??? [0x2] (running) 2\n"},
		"soon":    {[][]task.Addr{{9}, {1}, {1, 2}}, "  1  ??? [0x9] 1\n  2  ??? [0x1] 2-3\n    1  ??? [0x2] 3\n"},
		"back":    {[][]task.Addr{{1, 2}, {1, 3}, {1, 2}}, "  3  ??? [0x1] 1-3\n    1  ??? [0x2] 1\n    1  ??? [0x3] (running) 2\n    1  ??? [0x2] 3\n"},
		"another": {[][]task.Addr{{1, 2, 3}, {1, 4}, {5}}, "  2  ??? [0x1] 1-2\n    1  ??? [0x2] 1\n      1  ??? [0x3] 1\n    1  ??? [0x4] (running) 2\n  1  ??? [0x5] 3\n"},
		"gone":    {[][]task.Addr{{1}, nil, {1}}, "  1  ??? [0x1] 1\n  1  ??? [0x1] 3\n"},
		"without": {[][]task.Addr{{1}, {}, {1}}, "  1  ??? [0x1] 1\n  1  ??? [0x1] 3\n"},
	} {
		text := timelineOf(t, stacked(c.stacks...))
		_, tree, _ := strings.Cut(text, "\n  Thread 0x7    ")
		_, tree, _ = strings.Cut(tree, "\n")
		if got, _, _ := strings.Cut(tree, "\n\n"); got+"\n" != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
		if again := timelineOf(t, readAll(t, []byte(text))...); cmp.Diff(framesOf(text), framesOf(again)) != "" {
			t.Errorf("%s is written again as\n%s", name, again)
		}
	}
	lines := framesOf(timelineOf(t, stacked(deep)))
	if len(lines) != maxLevels || !strings.Contains(lines[maxLevels-keptInner-1], omitted) || !strings.HasSuffix(lines[maxLevels-1], "[0x209] 1") {
		t.Errorf("%d lines, %q", len(lines), lines[maxLevels-keptInner-1:])
	}
}

// A stack that was cut stands below a line that says so.
func TestTimelineCut(t *testing.T) {
	p := stacked([]task.Addr{1, 2}, []task.Addr{1, 3})
	p.Threads[0].Roots[0].Cut = &profile.Cut{Reason: unwind.NotCaptured}
	want := []string{"  2  " + spinTruncated + " 1-2", "    2  ??? [0x1] 1-2", "      1  ??? [0x2] 1", "      1  ??? [0x3] 2"}
	if diff := cmp.Diff(want, framesOf(timelineOf(t, p))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTimelineOfNone(t *testing.T) {
	var b bytes.Buffer
	if err := SpindumpTimeline(&b, report.Of(appletest.Darwin()), words.Options{}); !errors.Is(err, timeline.ErrNoTimeline) || b.Len() > 0 {
		t.Errorf("%v and %q", err, &b)
	}
}

// spinBody is a report of one thread with such frames.
func spinBody(steps string, frames ...string) []byte {
	return []byte("Report Version: 35.1\nSteps: " + steps + "\n\nProcess: it [7]\n\n  Thread 0x7    9 samples (1-9)\n" + strings.Join(frames, "\n") + "\n\n  Binary Images:\n")
}

// When samples were taken is known of a timeline alone whose lines agree.
func TestReadTimeline(t *testing.T) {
	const good = "9 (10ms sampling interval)"
	for name, c := range map[string]struct {
		steps  string
		frames []string
		want   string
	}{
		"good":       {good, []string{"  9  ??? [0x1] 1-9", "    2  ??? [0x2] (running) 3-4"}, "1 1 2r 2r 1 1 1 1 1 "},
		"one":        {"1", []string{"  1  ??? [0x1] 1"}, "1 "},
		"heavy":      {good, []string{"  9  ??? [0x1]"}, ""},
		"no steps":   {good, []string{"  9  ??? [0x1] 1-9", "    2  ??? [0x2]"}, ""},
		"too many":   {good, []string{"  10  ??? [0x1] 1-10"}, ""},
		"before":     {good, []string{"  9  ??? [0x1] 2-9", "    2  ??? [0x2] 1-2"}, ""},
		"behind":     {good, []string{"  8  ??? [0x1] 1-8", "    2  ??? [0x2] 8-9"}, ""},
		"disorder":   {good, []string{"  9  ??? [0x1] 1-9", "    2  ??? [0x2] 5-6", "    1  ??? [0x2] 4"}, ""},
		"roots":      {good, []string{"  5  ??? [0x1] 5-9", "  4  ??? [0x2] 1-4"}, ""},
		"no rate":    {"9", []string{"  9  ??? [0x1] 1-9"}, ""},
		"very many":  {"99999999 (1ms sampling interval)", []string{"  99999999  ??? [0x1] 1-99999999"}, ""},
		"overlapped": {good, []string{"  9  ??? [0x1] 1-9", "    4  ??? [0x2] 1-4", "    4  ??? [0x3] 4-7"}, ""},
	} {
		p := readAll(t, spinBody(c.steps, c.frames...))[0]
		got := ""
		for m := range p.Moments(p.Threads[0]) {
			got += m.Node.PC.String()[2:]
			if m.State == task.Running {
				got += "r"
			}
			got += " "
			if m.At != time.Duration(m.Snapshot)*p.Interval || m.Until != m.At+p.Interval {
				t.Errorf("%s: sample %d is from %v to %v", name, m.Snapshot, m.At, m.Until)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Of a report that was cut short, what the last lines call is not known.
func TestReadTimelineCutShort(t *testing.T) {
	whole := spinBody("9 (10ms sampling interval)", "  9  ??? [0x1] 1-9", "    2  ??? [0x2] 3-4", "    2  ??? [0x3] 7-8")
	short, _, _ := bytes.Cut(whole, []byte("\n\n  Binary"))
	p := readAll(t, short)[0]
	n := 0
	for range p.Moments(p.Threads[0]) {
		n++
	}
	if n != 6 {
		t.Errorf("%d samples, want those before the last line", n)
	}
}
