package hang

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/task/live"
	"stacksnap/task/live/livetest"
	"stacksnap/task/needs"
)

// turn is what the target says of one turn of its loop.
type turn struct {
	what       string
	start, end time.Time
}

// target is a running program.
type target struct {
	*exec.Cmd
	out io.Reader
}

func start(t *testing.T, turns ...string) target {
	t.Helper()
	cmd := exec.Command(livetest.Build(t, "loop"), turns...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	livetest.Run(t, cmd)
	return target{cmd, out}
}

// log reads what the target prints until it is done.
func (p target) log(t *testing.T) (log []turn) {
	for lines := bufio.NewScanner(p.out); lines.Scan(); {
		var u turn
		var from, to int64
		if _, err := fmt.Sscanf(lines.Text(), "turn %s %d %d", &u.what, &from, &to); err != nil {
			return log // done
		}
		u.start, u.end = time.Unix(0, from), time.Unix(0, to)
		log = append(log, u)
	}
	t.Error("the target ended early")
	return log
}

// watchToEnd watches a target until it is done.
func watchToEnd(t *testing.T, o Options, turns ...string) (reports []*hangreport.Report, log []turn) {
	t.Helper()
	p := start(t, turns...)
	ctx, stop := context.WithCancel(context.Background())
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		log = p.log(t)
		stop()
	}()
	if err := watchLive(ctx, t, p, o, func(r *hangreport.Report) error {
		reports = append(reports, r)
		return nil
	}); err != nil {
		t.Error(err)
	}
	<-finished
	return reports, log
}

// describe is a report for a failed test.
func describe(r *hangreport.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %v for %v, %v, cpu %v, ended %v (%s), deadlocks %v", r.Reason, r.Start.Format("05.000"),
		r.Duration, r.Kind, r.CPU, r.Ended, r.Why, r.Profile.Deadlocks)
	for _, p := range r.Phases {
		fmt.Fprintf(&b, "\n  %v +%v, %d samples: %s %+v", p.Start, p.Duration, p.Samples, p.Function, p.Wait)
	}
	return b.String()
}

// needTiming skips a test that compares times: they hold on a quiet machine only.
func needTiming(t *testing.T) {
	t.Helper()
	needs.Variable(t, "STACKSNAP_TIMING", "compares times, for a quiet machine; scripts/release.sh runs it")
}

// TestLiveHangIsReported watches a program that hangs in a deadlock which a time
// limit breaks, again and again where the machine is too busy to see it.
func TestLiveHangIsReported(t *testing.T) {
	t.Parallel()
	turns := slices.Repeat([]string{"idle:700", "ring2:4000"}, 20)
	var reports []*hangreport.Report
	seen := errors.New("the circle was seen")
	err := watchLive(t.Context(), t, start(t, turns...), Options{Threshold: threshold, Tool: "test"}, func(r *hangreport.Report) error {
		reports = append(reports, r)
		// More than one, of the same threads, where it could not be told for a while.
		if slices.ContainsFunc(r.Profile.Deadlocks, func(d profile.Deadlock) bool { return len(d.Waiters) == 2 }) {
			return seen
		}
		return nil
	})
	if !errors.Is(err, seen) {
		for _, r := range reports {
			t.Log(describe(r))
		}
		t.Fatalf("none of %d reports names the circle: %v", len(reports), err)
	}
}

// watchLive watches a target until a report is not accepted, or the target ends.
func watchLive(ctx context.Context, t *testing.T, p target, o Options, accept func(*hangreport.Report) error) error {
	t.Helper()
	process, err := live.Open(p.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = process.Close() }()
	_, err = Watch(ctx, process, o, accept)
	return err
}

func TestLiveHangs(t *testing.T) {
	needTiming(t)
	const slack = 100 * time.Millisecond // of a busy machine, beyond two looks
	o := Options{Threshold: threshold, Tool: "test"}
	reports, log := watchToEnd(t, o, "idle:700", "spin:500", "idle:700", "sleep:500", "idle:700", "mutex:500",
		"idle:700", "rwlock:500", "idle:700", "ring2:700", "idle:700", "ring3:700", "idle:700", "turns:1200", "idle:500",
		"work:2000", "idle:500")
	skipIfCrowded(t)
	var hangs []turn
	for _, u := range log {
		if u.what != "idle" && u.what != "work" && u.what != "late" {
			hangs = append(hangs, u)
		}
	}
	if len(reports) != len(hangs) {
		for _, r := range reports {
			t.Log(describe(r))
		}
		t.Fatalf("%d reports of %d hangs", len(reports), len(hangs))
	}
	for i, u := range hangs {
		r := reports[i]
		if off := r.Start.Sub(u.start).Abs(); off > 2*interval+slack {
			t.Errorf("%s began at %v, reported %v", u.what, u.start, r.Start)
		}
		if off := (r.Duration - u.end.Sub(u.start)).Abs(); off > 2*interval+slack || !r.Ended {
			t.Errorf("%s lasted %v, reported %v", u.what, u.end.Sub(u.start), r.Duration)
		}
		checkHang(t, u.what, r)
		t.Logf("%s: start off by %v, duration by %v", u.what, r.Start.Sub(u.start), r.Duration-u.end.Sub(u.start))
	}
}

// skipIfCrowded skips what is left of a test if so many threads wanted the
// processors that times tell nothing.
func skipIfCrowded(t *testing.T) {
	t.Helper()
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		t.Fatal(err)
	}
	var load float64
	if _, err := fmt.Sscan(string(b), &load); err != nil || load > 2+2*float64(runtime.NumCPU()) {
		needs.Skip(t, "a quiet machine", fmt.Sprintf("the load is %.1f", load))
	}
}

// checkHang checks what a report tells beside times.
func checkHang(t *testing.T, what string, r *hangreport.Report) {
	t.Helper()
	kinds := map[string]hangreport.Kind{"spin": hangreport.Busy, "turns": hangreport.InTurns}
	locks := map[string]profile.LockKind{"mutex": profile.Mutex, "rwlock": profile.ReadWrite, "ring2": profile.Mutex, "ring3": profile.Mutex}
	owners := map[string]string{"mutex": "holder", "rwlock": "writer", "ring2": "member 1", "ring3": "member 1"}
	circles := map[string]int{"ring2": 2, "ring3": 3}
	if r.Kind != kinds[what] && r.Kind != hangreport.Starved {
		t.Errorf("%s", describe(r))
	}
	owned := false
	for _, p := range r.Phases {
		owned = owned || p.Wait != nil && p.Wait.Lock == locks[what] && p.Wait.OwnerName == owners[what]
	}
	if locks[what] != profile.NoLock && !owned {
		t.Errorf("%s: no phase names the holder: %s", what, describe(r))
	}
	if n := circles[what]; n != 0 && (len(r.Profile.Deadlocks) != 1 || len(r.Profile.Deadlocks[0].Waiters) != n) {
		t.Errorf("%s: deadlocks %v", what, r.Profile.Deadlocks)
	} else if n == 0 && len(r.Profile.Deadlocks) != 0 {
		t.Errorf("%s: deadlock where there is none: %v", what, r.Profile.Deadlocks)
	}
}

// soak is how long a healthy program is watched: STACKSNAP_SOAK, as 5m.
func soak(t *testing.T) time.Duration {
	t.Helper()
	asked := os.Getenv("STACKSNAP_SOAK")
	if asked == "" {
		return usualSoak
	}
	length, err := time.ParseDuration(asked)
	if err != nil {
		t.Fatal(err)
	}
	return length
}

// TestLiveSoak watches a healthy program beside others that want its processors.
// When they had them for so long that it was late, a report of this time is right.
func TestLiveSoak(t *testing.T) {
	length, hogs := soak(t), 2*runtime.NumCPU()
	for range hogs {
		start(t, "spin:2000000000")
	}
	before := ownTime()
	reports, log := watchToEnd(t, Options{Threshold: threshold, Tool: "test"}, "idle:200", fmt.Sprintf("work:%d", length.Milliseconds()))
	late, wrong := 0, 0
	for _, u := range log {
		if u.what == "late" {
			late++
		}
	}
	for _, r := range reports {
		if !slices.ContainsFunc(log, func(u turn) bool {
			return u.what == "late" && u.start.Before(r.Start.Add(r.Duration)) && u.end.After(r.Start)
		}) {
			wrong++
			t.Error("false alarm:", describe(r))
		}
	}
	t.Logf("%v beside %d hogs: %d reports, %d of them wrong; the program was late %d times; the watch took %.2f %% of a processor",
		length, hogs, len(reports), wrong, late, 100*(ownTime()-before).Seconds()/length.Seconds())
}

// TestLiveShare: on a machine that is kept busy a hang is sampled, and the target is not
// stopped for more than its share.
func TestLiveShare(t *testing.T) {
	for range runtime.NumCPU() {
		start(t, "spin:2000000000")
	}
	seen := errors.New("the hang was reported")
	p := start(t, "idle:700", "spin:2000000000")
	o := Options{Threshold: threshold, MaxHang: 3 * time.Second, Interval: time.Millisecond, Tool: "test"}
	err := watchLive(t.Context(), t, p, o, func(r *hangreport.Report) error {
		stopped, share := r.Profile.Stopped, r.Profile.Stopped.Seconds()/r.Duration.Seconds()
		t.Logf("%v, stopped for %v, %.2f %% of the time, in %d stops", r.Kind, stopped, 100*share, r.Profile.Stops)
		if r.Profile.Stops == 0 || stopped-r.Profile.LongestStop > r.Duration/stopShare {
			t.Errorf("stopped for %v, the longest %v, of %v", stopped, r.Profile.LongestStop, r.Duration)
		}
		return seen
	})
	if !errors.Is(err, seen) {
		t.Fatal(err)
	}
}

func ownTime() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts)
	return time.Duration(ts.Nano())
}
