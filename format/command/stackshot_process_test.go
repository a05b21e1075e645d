package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/capture/stackshots"
	"stacksnap/format/top"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/needs"
	"stacksnap/task/stackshot"
	"stacksnap/task/stackshot/stackshottest"
)

// studio is a system that takes stackshots.
type studio struct {
	shots      map[int]*stackshot.Shot // by the pid that they are of
	refuse     error                   // what opening answers
	kernelless bool                    // of the kernel nothing can be opened
	taking     error                   // what taking answers
	left       int                     // before the process ends; 0: it does not
	open       int
	taken      []int // the pids
}

func (s *studio) source(pid int) (stackshot.Source, error) {
	switch {
	case s.refuse != nil:
		return nil, s.refuse
	case s.kernelless && pid == stackshot.OfKernel:
		return nil, stackshot.ErrNoSource
	}
	s.open++
	return &camera{s, pid}, nil
}

type camera struct {
	*studio
	pid int
}

func (c *camera) Take(uint64) ([]byte, error) {
	if c.taking != nil {
		return nil, c.taking
	}
	c.taken = append(c.taken, c.pid)
	shot := c.shots[c.pid]
	if shot == nil || c.left > 0 && len(c.taken) > c.left {
		shot = &stackshot.Shot{}
	}
	return stackshottest.Bytes(shot), nil
}

func (c *camera) Path(pid int, a task.Addr) string { return "/bin/of" + strconv.Itoa(pid) }
func (c *camera) Close() error                     { c.open--; return nil }

// filmed runs the program on a system that takes stackshots.
func filmed(t *testing.T, s *studio, args ...string) (out, stderr string, code int) {
	t.Helper()
	out, stderr, code = ranWith(t, func(c *call) { c.shots = s.source }, args...)
	if s.open != 0 {
		t.Errorf("%d sources are left open", s.open)
	}
	return out, stderr, code
}

// ranWith is ran of a call that is changed before.
func ranWith(t *testing.T, change func(*call), args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return ranBy(t, func(program Command) int {
		o, err := cli.Parse(args, "", live.Runs)
		if err == nil {
			c := program.call(o)
			change(c)
			err = c.run(context.Background())
		}
		if err != nil {
			out.TellError(program.Err, err)
		}
		return exitCode(err)
	})
}

// sleeper starts a process, for its pid.
func sleeper(t *testing.T) int {
	t.Helper()
	cmd := exec.Command(needs.Tool(t, "sleep"), "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return cmd.Process.Pid
}

// newStudio has the stackshots of a system with that process in it: of all, of the kernel
// and of the process.
func newStudio(pid int) *studio {
	whole := system(3, 2)
	whole.Durations = &stackshot.Durations{Inner: 100_000, Outer: 194_031}
	whole.Tasks[1].Snapshot.PID = int32(pid)
	part := func(task int) *stackshot.Shot {
		s := *whole
		s.Tasks = whole.Tasks[task : task+1]
		return &s
	}
	return &studio{shots: map[int]*stackshot.Shot{-1: whole, 0: part(0), pid: part(1)}}
}

const stoodLine = "nothing was suspended: the kernel walked the stacks, and no thread of the system ran meanwhile, for "

// TestFilmKernel has a process be shown with its frames in the kernel, and says what that
// has cost: the process's stackshot, and the kernel's, by which its frames are placed.
func TestFilmKernel(t *testing.T) {
	pid := sleeper(t)
	s := newStudio(pid)
	out, stderr, code := filmed(t, s, "-p", strconv.Itoa(pid), "--kernel")
	wantReport(t, out, stderr, code, "process1 ["+strconv.Itoa(pid)+"]", "[k] ", "kernel + 0x", "of"+strconv.Itoa(pid)+" + ",
		stoodLine+"388µs at most in 2 stackshots, 194µs in the longest")
	if strings.Contains(out, "process2 [") || strings.Contains(out, "Stopped:") {
		t.Errorf("the report has too much:\n%s", out)
	}
	wantTaken(t, s, 0, pid)
}

// TestFilmWithoutStop has no frames of the kernel, which nobody asked for.
func TestFilmWithoutStop(t *testing.T) {
	pid := sleeper(t)
	s := newStudio(pid)
	out, stderr, code := filmed(t, s, "-p", strconv.Itoa(pid), "--no-stop", "-n", "3", "-i", "1ms")
	wantReport(t, out, stderr, code, "3 snapshots", "of CPU time used by the capture", "in 3 stackshots, 194µs in the longest")
	if strings.Contains(out, "[k]") || strings.Contains(out, "kernel") && !strings.Contains(out, stoodLine) {
		t.Errorf("the report has frames of the kernel:\n%s", out)
	}
	wantTaken(t, s, pid, pid, pid)
}

// TestFilmNoStopOtherwise samples a process as without stackshots where there are none for
// us.
func TestFilmNoStopOtherwise(t *testing.T) {
	pid := sleeper(t)
	for _, s := range []*studio{{refuse: stackshot.ErrNoSource}, {taking: &task.PermissionError{PID: pid, Remedy: "ask"}}} {
		out, stderr, _ := filmed(t, s, "-p", strconv.Itoa(pid), "--no-stop", "-n", "1")
		if strings.Contains(out, "stackshot") || strings.Contains(stderr, "stackshot") || strings.Contains(stderr, "ask") {
			t.Errorf("%s%s", out, stderr)
		}
	}
}

func TestFilmAll(t *testing.T) {
	pid := sleeper(t)
	s := newStudio(pid)
	out, stderr, code := filmed(t, s, "--system", "--kernel")
	wantReport(t, out, stderr, code, "Process:         kernel_task\n", "process1 ["+strconv.Itoa(pid)+"]", "process2 [102]", stoodLine+"194µs at most")
	wantTaken(t, s, -1)
	out, stderr, code = filmed(t, s, "--system", "-p", strconv.Itoa(pid))
	wantReport(t, out, stderr, code, "process1 ["+strconv.Itoa(pid)+"]")
	if strings.Contains(out, "Process:         process2") || strings.Contains(out, "kernel_task") || strings.Contains(out, "[k]") {
		t.Errorf("the report has too much:\n%s", out)
	}
}

// TestFilmTop gives a live view each stackshot of a process, with what threads wait for and
// a report so far.
func TestFilmTop(t *testing.T) {
	pid := sleeper(t)
	c := callOf(t, "top --kernel -p "+strconv.Itoa(pid))
	s := newStudio(pid)
	c.shots = s.source
	scene := stackshots.Target{PID: pid}
	done, err := c.openScene(&scene)
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.topCapture()
	if err != nil || o.Interval != topInterval || o.Jitter != topInterval || o.Duration != 0 {
		t.Fatalf("%+v, %v", o, err)
	}
	o.Interval, o.Jitter, o.Count = 1, 0, 3
	n := 0
	p, err := record(func(ctx context.Context, o capture.Options) (*profile.Profile, error) {
		return c.stackshotLive(ctx, scene, o)
	}).shown(o)(t.Context(), func(sample *top.Sample, made func() *profile.Profile) {
		n++
		path, _ := sample.Path(sample.Threads[0].ID)
		if len(sample.Threads) != 2 || len(sample.Looks) != 2 || sample.Looks[0].Wait == nil || len(path) != 24 || !path[23].Kernel {
			t.Errorf("%d threads, %d looks, %d frames", len(sample.Threads), len(sample.Looks), len(path))
		}
		so := made()
		stood := 0
		for _, note := range so.Notes {
			stood += strings.Count(note, stoodLine)
		}
		if so.Snapshots != n || stood != 1 || so.MainThread() == nil {
			t.Errorf("after %d: %d snapshots, %q", n, so.Snapshots, so.Notes)
		}
	})
	done()
	if err != nil || n != 3 || p.Snapshots != 3 || s.open != 0 {
		t.Errorf("%d samples, %d sources open, %v", n, s.open, err)
	}
	wantTaken(t, s, 0, pid, pid, pid)
}

// TestFilmTopRefused needs no screen to say what there is not.
func TestFilmTopRefused(t *testing.T) {
	pid := sleeper(t)
	c := callOf(t, "top --kernel -p "+strconv.Itoa(pid))
	for _, s := range []*studio{{refuse: stackshot.ErrNoSource}, {shots: map[int]*stackshot.Shot{}, kernelless: true}} {
		c.shots = s.source
		err := c.attachTo(t.Context(), pid)
		if !errors.Is(err, stackshot.ErrNoSource) || !strings.HasPrefix(err.Error(), "--kernel cannot be had") || s.open != 0 {
			t.Errorf("%v, %d sources open", err, s.open)
		}
	}
}

// TestFilmNoWatch refuses what would not be whole.
func TestFilmNoWatch(t *testing.T) {
	pid := sleeper(t)
	s := newStudio(pid)
	for _, watch := range []string{"--hang 1s", "--every 1s"} {
		out, stderr, code := filmed(t, s, strings.Fields("--kernel -p "+strconv.Itoa(pid)+" "+watch)...)
		if code != exitUsage || out != "" || !strings.Contains(stderr, errWatchKernel.Error()) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %s%s", watch, code, stderr, out)
		}
	}
}

// titles are the processes that a report for people is on, in its order.
func titles(report string) (pids []string) {
	for line := range strings.Lines(report) {
		if name, ok := strings.CutPrefix(line, "Process:"); ok {
			_, pid, _ := strings.Cut(strings.TrimSpace(name), " ")
			pids = append(pids, strings.Trim(pid, "[]"))
		}
	}
	return pids
}

// TestFilmSeveral has processes be of one moment: of one stackshot of all.
func TestFilmSeveral(t *testing.T) {
	first, second, gone := sleeper(t), sleeper(t), sleeper(t)
	s := newStudio(first)
	s.shots[-1].Tasks[2].Snapshot.PID = int32(second)
	a, b, lost := strconv.Itoa(first), strconv.Itoa(second), strconv.Itoa(gone)
	out, stderr, code := filmed(t, s, "-p", b, "-p", a, "--kernel")
	wantReport(t, out, stderr, code, "Processes:       2, captured at the same time", "Deadlock:", "[k] ", stoodLine+"194µs at most")
	if got := titles(out); !slices.Equal(got, []string{b, a}) {
		t.Errorf("reports on %v", got)
	}
	wantTaken(t, s, -1)
	out, stderr, code = filmed(t, s, "-p", a, "-p", b, "--no-stop", "-n", "2", "-i", "1ms")
	wantReport(t, out, stderr, code, "2 snapshots", stoodLine)
	if strings.Contains(out, "[k]") {
		t.Errorf("the report has frames of the kernel:\n%s", out)
	}
	out, stderr, code = filmed(t, s, "-p", lost, "-p", a, "--kernel")
	if code != exitNoProcess || !strings.Contains(out, "Missing:         no process with pid "+lost) || strings.Count(stderr, "\n") != 1 || !slices.Equal(titles(out), []string{a}) {
		t.Errorf("exit code %d, %s%s", code, stderr, out)
	}
}

// TestFilmSeveralRefused says in a line what there is not, and samples them as without
// stackshots where these were not asked for.
func TestFilmSeveralRefused(t *testing.T) {
	a, b := strconv.Itoa(sleeper(t)), strconv.Itoa(sleeper(t))
	none := &studio{refuse: stackshot.ErrNoSource}
	out, stderr, code := filmed(t, none, "-p", a, "-p", b, "--kernel")
	if code != exitFailure || out != "" || !strings.Contains(stderr, "--kernel cannot be had: ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, %s%s", code, stderr, out)
	}
	if out, stderr, _ := filmed(t, none, "-p", a, "-p", b, "--no-stop", "-n", "1"); strings.Contains(out+stderr, "stackshot") {
		t.Errorf("%s%s", out, stderr)
	}
}

// TestFilmNotFollowed takes none where more is asked than they are made for.
func TestFilmNotFollowed(t *testing.T) {
	pid := sleeper(t)
	c := callOf(t, "--follow-waits --kernel -p "+strconv.Itoa(pid))
	if c.shots = newStudio(pid).source; c.Mode() != cli.ModeSeveral || c.canTakeStackshots() {
		t.Error("it is filmed")
	}
}

// TestFilmTree has a process and what it has started, and ends with them.
func TestFilmTree(t *testing.T) {
	shell := exec.Command(needs.Tool(t, "sh"), "-c", "sleep 600 & echo $!; wait")
	answer, err := shell.StdoutPipe()
	if err == nil {
		err = shell.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = shell.Process.Kill(), shell.Wait() })
	line, err := bufio.NewReader(answer).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	root, child := strconv.Itoa(shell.Process.Pid), strings.TrimSpace(line)
	s := newStudio(shell.Process.Pid)
	pid, err := strconv.Atoi(child)
	if err != nil {
		t.Fatal(err)
	}
	if started, err := os.FindProcess(pid); err == nil {
		t.Cleanup(func() { _ = started.Kill() })
	}
	s.shots[-1].Tasks[2].Snapshot.PID = int32(pid)
	for _, args := range []string{"", " -n 9 -i 1ms"} {
		s.taken, s.left = nil, 2
		out, stderr, code := filmed(t, s, strings.Fields("-p "+root+" --tree --kernel"+args)...)
		if wantReport(t, out, stderr, code, "[k] "); !slices.Equal(titles(out), []string{root, child}) {
			t.Errorf("%q: reports on %v", args, titles(out))
		}
		if args != "" && (!strings.Contains(out, "2 snapshots") || len(s.taken) != 3) {
			t.Errorf("it went on without them:\n%s", out)
		}
	}
}

// TestFilmRefused tells what there is not in a line, with the flag that wants it.
func TestFilmRefused(t *testing.T) {
	pid := strconv.Itoa(sleeper(t))
	absent := errors.Join(stackshot.ErrNoSource)
	for _, c := range []struct {
		s    *studio
		args []string
		code int
		want string
	}{
		{&studio{refuse: absent}, []string{"-p", pid, "--kernel"}, exitFailure, "--kernel cannot be had: " + stackshot.ErrNoSource.Error()},
		{&studio{refuse: absent}, []string{"--system"}, exitFailure, "--system cannot be had: " + stackshot.ErrNoSource.Error()},
		{&studio{taking: absent}, []string{"--system"}, exitFailure, "--system cannot be had: " + stackshot.ErrNoSource.Error()},
		{&studio{taking: &task.PermissionError{PID: -1, Asked: "it: EPERM", Remedy: "run it with sudo"}}, []string{"--system"}, exitNotPermitted, "not permitted to read all processes (it: EPERM): run it with sudo"},
		{&studio{}, []string{"-p", pid, "--kernel"}, exitFailure, "no process with pid " + pid},
		{&studio{}, []string{"--system"}, exitFailure, errNoneLeft.Error()},
	} {
		if c.want == "no process with pid "+pid {
			c.code = exitNoProcess
		}
		out, stderr, code := filmed(t, c.s, c.args...)
		if out != "" || code != c.code || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: exit code %d, %q %q", c.args, code, out, stderr)
		}
	}
}

// TestFilmEndsWithItsTarget reports what was captured before the process ended.
func TestFilmEndsWithItsTarget(t *testing.T) {
	pid := sleeper(t)
	s := newStudio(pid)
	s.left = 2
	out, stderr, code := filmed(t, s, "-p", strconv.Itoa(pid), "--no-stop", "-n", "9", "-i", "1ms")
	if code != exitTargetExited || !strings.Contains(out, "2 snapshots") || !strings.Contains(stderr, "exited meanwhile") {
		t.Errorf("exit code %d, %q\n%s", code, stderr, out)
	}
}

// TestFilmInstead looks by a stackshot at what is refused otherwise, and says so; and where
// that is refused, too, tells of the first.
func TestFilmInstead(t *testing.T) {
	pid := sleeper(t)
	refused := &task.PermissionError{PID: pid, Asked: "task_for_pid: KERN_FAILURE (5)", Remedy: "choose another"}
	o, err := cli.Parse([]string{"-p", strconv.Itoa(pid), "-o", filepath.Join(t.TempDir(), "out.json")}, "", live.Runs)
	if err != nil {
		t.Fatal(err)
	}
	c := Command{Streams: out.Streams{Out: os.Stdout, Err: os.Stderr, Getenv: func(string) string { return "" }}, Release: func() {}}.call(o)
	c.shots = newStudio(pid).source
	if err := c.stackshotInstead(t.Context(), pid, refused); err != nil {
		t.Error(err)
	}
	report := readFile(t, o.Destinations()[0].Path)
	for _, want := range []string{"its task is refused (task_for_pid: KERN_FAILURE (5))", stoodLine} {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
	for _, s := range []*studio{{refuse: stackshot.ErrNoSource}, {taking: &task.PermissionError{Remedy: "ask"}}} {
		c.shots = s.source
		if err := c.stackshotInstead(t.Context(), pid, refused); err != refused {
			t.Errorf("%v", err)
		}
	}
	odd := errors.New("odd")
	if err := c.stackshotInstead(t.Context(), pid, odd); err != odd {
		t.Errorf("%v", err)
	}
}

// TestSelectionOrder is that in which processes were found, whatever they were captured by.
func TestSelectionOrder(t *testing.T) {
	s := selection{pids: []int{3, 1, 2}}
	for _, pid := range []int{1, 9, 2, 3} {
		s.group.Profiles = append(s.group.Profiles, &profile.Profile{Target: task.Info{PID: pid}})
	}
	s.order()
	var got []int
	for _, p := range s.group.Profiles {
		got = append(got, p.Target.PID)
	}
	if !slices.Equal(got, []int{3, 1, 2, 9}) {
		t.Errorf("%v", got)
	}
}

// TestFilmInsteadOfSome shows those of several processes that are refused otherwise, and
// tells of the refusal where they cannot be.
func TestFilmInsteadOfSome(t *testing.T) {
	pid := sleeper(t)
	const none = 1 << 30 // above all pids
	c := callOf(t, fmt.Sprintf("-p %d -p %d", none, none+1))
	refused := &task.PermissionError{PID: pid, Asked: "task_for_pid: KERN_FAILURE (5)"}
	c.shots = newStudio(pid).source
	film := func(_ int, why error) (*profile.Profile, error) {
		if !is[*task.NoProcessError](why) {
			t.Errorf("it is opened: %v", why)
		}
		return c.stackshotOfRefused(t.Context(), pid, refused)
	}
	s := selection{pids: []int{none, none + 1}, asked: map[int]bool{none: true}}
	s.snapshot(capture.Options{}, film)
	if len(s.group.Profiles) != 2 || len(s.errs)+len(s.group.Missing) != 0 || !strings.Contains(strings.Join(s.group.Profiles[0].Notes, "\n"), "its task is refused (task_for_pid") {
		t.Errorf("%d profiles, %v", len(s.group.Profiles), s.errs)
	}
	for _, shots := range []func(int) (stackshot.Source, error){(&studio{refuse: stackshot.ErrNoSource}).source, nil} {
		c.shots = shots
		if p, err := c.stackshotOfRefused(t.Context(), pid, refused); p != nil || err != refused {
			t.Errorf("%v", err)
		}
	}
	odd := errors.New("odd")
	c.shots = newStudio(pid).source
	if p, err := c.stackshotOfRefused(t.Context(), pid, odd); p != nil || err != odd {
		t.Errorf("%v", err)
	}
}

// TestFilmSaved writes what the kernel gave, and that opens again with the same stacks.
func TestFilmSaved(t *testing.T) {
	pid := sleeper(t)
	s := newStudio(pid)
	path := filepath.Join(t.TempDir(), "it.kcdata")
	first, stderr, code := filmed(t, s, "-p", strconv.Itoa(pid), "--kernel", "--save", path)
	wantReport(t, first, stderr, code, "[k] ")
	if want := append(stackshottest.Bytes(s.shots[0]), stackshottest.Bytes(s.shots[pid])...); !bytes.Equal([]byte(readFile(t, path)), want) {
		t.Error("the file is not what the kernel has given")
	}
	again, stderr, code := ran(t, path, "-p", strconv.Itoa(pid))
	wantReport(t, again, stderr, code, "[k] ")
	stacks := func(report string) string {
		_, report, _ = strings.Cut(report, "\nThread ")
		report, _, _ = strings.Cut(report, "\nBinary Images")
		return strings.ReplaceAll(report, "of"+strconv.Itoa(pid)+" + 0x", "image at 0x100000000 + 0x")
	}
	if stacks(first) == "" || strings.Count(stacks(first), "\n") != strings.Count(stacks(again), "\n") {
		t.Errorf("read again:\n%s\nwas:\n%s", stacks(again), stacks(first))
	}
	none := filepath.Join(t.TempDir(), "none.kcdata")
	if _, stderr, code := filmed(t, &studio{}, "-p", strconv.Itoa(pid), "--no-stop", "--save", none); code != exitNoProcess {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// TestFilmAllSaved opens again as the same report.
func TestFilmAllSaved(t *testing.T) {
	s := newStudio(sleeper(t))
	path := filepath.Join(t.TempDir(), "all.kcdata")
	first, stderr, code := filmed(t, s, "--system", "--kernel", "--save", path)
	wantReport(t, first, stderr, code, "Processes:       3,")
	again, stderr, code := ran(t, path)
	wantReport(t, again, stderr, code, "Processes:       3,")
	frames := func(report string) int { return strings.Count(report, "]\n") }
	if !slices.Equal(titles(first), titles(again)) || frames(first) != frames(again) {
		t.Errorf("read again:\n%s\nwas:\n%s", again, first)
	}
	out, stderr, code := ran(t, "--system", "--save", path)
	if runtime.GOOS == "linux" && (code != exitUsage || out != "" || !strings.Contains(stderr, "leave out --save")) {
		t.Errorf("exit code %d, %s%s", code, stderr, out)
	}
}

func wantReport(t *testing.T, out, stderr string, code int, want ...string) {
	t.Helper()
	if code != exitOK || stderr != "" {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("the report lacks %q:\n%s", w, out)
		}
	}
}

func wantTaken(t *testing.T, s *studio, want ...int) {
	t.Helper()
	if len(s.taken) != len(want) {
		t.Fatalf("stackshots of %v were taken, want %v", s.taken, want)
	}
	for i := range want {
		if s.taken[i] != want[i] {
			t.Errorf("stackshots of %v were taken, want %v", s.taken, want)
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// BenchmarkFilm adds samples of 500 processes with 5,000 threads, of which few have run: it
// tells how long each takes to add, beside the kernel's part.
func BenchmarkFilm(b *testing.B) {
	whole := system(501, 10)
	whole.AbsoluteTime = new(uint64)
	*whole.AbsoluteTime = 100
	delta := &stackshot.Shot{Delta: true, AbsoluteTime: whole.AbsoluteTime, Since: whole.AbsoluteTime}
	for i := range whole.Tasks {
		t := stackshot.Task{ID: whole.Tasks[i].ID, Delta: &stackshot.TaskDelta{}, Waits: whole.Tasks[i].Waits}
		for _, th := range whole.Tasks[i].Threads {
			t.Deltas = append(t.Deltas, stackshot.ThreadDelta{ID: th.ID, State: stackshot.StateWait})
		}
		delta.Tasks = append(delta.Tasks, t)
	}
	first, next := stackshottest.Bytes(whole), stackshottest.Bytes(delta)
	const samples = 21
	for b.Loop() {
		list, err := stackshots.Record(b.Context(), stackshots.Target{PID: stackshot.OfAll, Source: &reel{first, next}}, capture.Options{Count: samples, Kernel: true})
		if err != nil || len(list) != 501 || list[500].Snapshots != samples {
			b.Fatal(err, len(list))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/samples, "ms/sample")
}

// reel has a first stackshot, and the same delta ever after.
type reel struct{ first, next []byte }

func (r *reel) Take(uint64) ([]byte, error) {
	b := r.first
	r.first = r.next
	return b, nil
}

func (r *reel) Path(int, task.Addr) string { return "" }
func (r *reel) Close() error               { return nil }

// callOf is a call without an environment.
func callOf(t *testing.T, args string) *call {
	t.Helper()
	o, err := cli.Parse(strings.Fields(args), "", live.Runs)
	if err != nil {
		t.Fatal(err)
	}
	s := out.Streams{Getenv: func(string) string { return "" }, Out: os.Stdout, Err: os.Stderr}
	return Command{Streams: s, Release: func() {}}.call(o)
}
