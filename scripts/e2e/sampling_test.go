//go:build linux

package e2e

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/needs"
)

// long reports whether there is time for many runs.
func long() bool { return os.Getenv("STACKSNAP_LONG") != "" }

// record samples a running target.
func record(t *testing.T, cmd *exec.Cmd, o capture.Options) *profile.Profile {
	t.Helper()
	return recordUntil(t, context.Background(), cmd, o)
}

func recordUntil(t *testing.T, ctx context.Context, cmd *exec.Cmd, o capture.Options) *profile.Profile {
	t.Helper()
	p, err := live.Open(cmd.Process.Pid)
	if err != nil {
		needs.Ptrace(t, err)
	}
	defer p.Close()
	o.Tool = "test"
	prof, err := capture.Record(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return prof
}

// selfCounts are the samples by the innermost function.
func selfCounts(p *profile.Profile) map[string]int {
	counts := map[string]int{}
	times, _ := p.SelfTimes()
	for _, s := range times {
		counts[s.Function] += s.Samples
	}
	return counts
}

// independent samples a target of one thread until there are n samples of it, and
// counts them by the innermost function. One at which it had not run since that
// before, for want of a processor, sees the same moment of it again and is none.
func independent(t *testing.T, cmd *exec.Cmd, n int, o capture.Options) (*profile.Profile, map[string]int) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	counts := map[string]int{}
	o.Each = func(s *task.Snapshot, m *images.Map) error {
		for i := range s.Threads {
			if th := &s.Threads[i]; n > 0 && !th.Same && th.Err == nil {
				counts[m.Locate(th.Registers.PC(), false).Function]++
				n--
			}
		}
		if n == 0 {
			end()
		}
		return nil
	}
	return recordUntil(t, ctx, cmd, o), counts
}

// chiSquare compares counts with the shares expected.
func chiSquare(t *testing.T, counts map[string]int, shares map[string]float64) float64 {
	t.Helper()
	total := 0
	for f := range shares {
		total += counts[f]
	}
	chi := 0.0
	for f, share := range shares {
		want := share * float64(total)
		chi += math.Pow(float64(counts[f])-want, 2) / want
	}
	return chi
}

// byChance is how probable it is that chance alone makes so large a chi-square, of
// an even number of degrees of freedom.
func byChance(chi float64, freedom int) float64 {
	sum, term := 0.0, 1.0
	for k := range freedom / 2 {
		sum += term
		term *= chi / 2 / float64(k+1)
	}
	return math.Exp(-chi/2) * sum
}

// tooRare is below what chance does in any number of runs of these tests.
const tooRare = 1e-9

// TestSharesOfTime: what a target does that never blocks is independent from one
// sample to the next where it has run between them, so that the numbers differ from
// the true shares as chance has it. The shares are of its work, and so of the time
// in which it has a processor.
func TestSharesOfTime(t *testing.T) {
	cmd := start(t, compile(t, "shares", "-O1"), "split")
	runs, sum := rounds(4), 0.0
	if long() {
		runs = 40
	}
	shares := map[string]float64{"seventy": 0.7, "twenty": 0.2, "ten": 0.1}
	for range runs {
		p, counts := independent(t, cmd, 500, capture.Options{Interval: 2 * time.Millisecond, Jitter: 2 * time.Millisecond})
		chi := chiSquare(t, counts, shares)
		t.Logf("seventy %d twenty %d ten %d of %d; chi-square %.2f; missed %d; stopped %v, longest %v, own CPU %v",
			counts["seventy"], counts["twenty"], counts["ten"], p.Snapshots, chi, p.MissedTicks, p.Stopped, p.LongestStop, p.OwnCPU)
		sum += chi
	}
	if p := byChance(sum, 2*runs); p < tooRare {
		t.Errorf("chi-square %.1f over %d runs, which chance makes with a probability of %.1g", sum, runs, p)
	}
}

// sighting is a sample of the main thread: in what function it was, at some moment
// between two, of the monotonic clock.
type sighting struct {
	function    string
	after, till int64
}

// TestPhases: each sample finds a target in the function in which it says itself
// that it was then, however long it or the sampler had to wait for a processor.
func TestPhases(t *testing.T) {
	program := compile(t, "shares", "-O1")
	for _, how := range []task.Suspension{task.SuspendThread, task.SuspendNone} {
		t.Run(how.String(), func(t *testing.T) { phases(t, program, how) })
	}
}

func phases(t *testing.T, program string, how task.Suspension) {
	log := filepath.Join(t.TempDir(), "log")
	cmd := start(t, program, "phases", log)
	needObserver(t, cmd, how)
	ctx, end := context.WithTimeout(t.Context(), patience)
	defer end()
	var all []sighting
	last, phases := monotonic(), map[string]int{}
	p := recordUntil(t, ctx, cmd, capture.Options{Interval: time.Millisecond, Suspend: how, Each: func(s *task.Snapshot, m *images.Map) error {
		if len(s.Threads) == 0 {
			return nil
		}
		th := &s.Threads[0]
		at := sighting{m.Locate(th.Registers.PC(), false).Function, last, monotonic()}
		if th.Age > 0 {
			at.after -= int64(th.Age)
		}
		if strings.HasPrefix(at.function, "phase") {
			if len(all) == 0 || all[len(all)-1].function != at.function {
				phases[at.function]++
			}
			all = append(all, at)
		}
		if last = at.till; min(phases["phase0"], phases["phase1"], phases["phase2"]) == 3 {
			end()
		}
		return nil
	}})
	t.Logf("%d samples in %v, %d snapshots, %d missed", len(all), phases, p.Snapshots, p.MissedTicks)
	checkPhases(t, log, all)
}

func monotonic() int64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return now.Nano()
}

// checkPhases compares samples with the log of testdata/shares.c. What is sampled in
// a phase was sampled after it began, and before the next one did.
func checkPhases(t *testing.T, log string, all []sighting) {
	t.Helper()
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	const each = 16
	begins := make([]int64, len(b)/each+1)
	for i := range len(b) / each {
		begins[i] = int64(binary.NativeEndian.Uint64(b[each*i+8:]))
	}
	begins[len(b)/each] = math.MaxInt64
	for _, s := range all {
		could := false
		for i := range len(b) / each {
			in := fmt.Sprint("phase", b[each*i])
			could = could || in == s.function && begins[i] <= s.till && s.after <= begins[i+1]
		}
		if !could {
			t.Errorf("in %s between %d and %d, and the phases began at %v", s.function, s.after, s.till, begins)
		}
	}
}

// timing asks for comparisons of times, which hold on a quiet machine only.
const timing = "STACKSNAP_TIMING"

// needTiming skips a test that compares times: they hold on a quiet machine only.
func needTiming(t *testing.T) {
	t.Helper()
	needs.Variable(t, timing, "compares times, for a quiet machine")
}

// TestPeriodicLoad: a target with the period of the interval is seen in one of
// its halves only, unless there is jitter. On a busy machine it loses its processor
// at ticks of the kernel, which have a rhythm, too.
func TestPeriodicLoad(t *testing.T) {
	needTiming(t)
	cmd := start(t, compile(t, "shares", "-O1"), "periodic")
	share := func(jitter time.Duration) float64 {
		p := record(t, cmd, capture.Options{Interval: time.Millisecond, Jitter: jitter, Duration: 3 * time.Second})
		counts := selfCounts(p)
		t.Logf("jitter %v: early %d, late %d, %d snapshots, %d missed", jitter, counts["early"], counts["late"], p.Snapshots, p.MissedTicks)
		return float64(counts["early"]) / float64(counts["early"]+counts["late"])
	}
	t.Logf("without jitter: %.1f %%", 100*share(0))
	if s := share(time.Millisecond); math.Abs(s-0.5) > 0.07 {
		t.Errorf("%.1f %% of the samples are in the first half of each millisecond, want 50", 100*s)
	}
}

// TestSuspensionsAgree: however the target is stopped, the shares are the same.
func TestSuspensionsAgree(t *testing.T) {
	cmd := start(t, compile(t, "shares", "-O1"), "split")
	for _, how := range []task.Suspension{task.SuspendThread, task.SuspendTask, task.SuspendTogether, task.SuspendNone} {
		needObserver(t, cmd, how)
		_, counts := independent(t, cmd, rounds(700), capture.Options{
			Interval: 2 * time.Millisecond, Jitter: 2 * time.Millisecond, Suspend: how,
		})
		chi := chiSquare(t, counts, map[string]float64{"seventy": 0.7, "twenty": 0.2, "ten": 0.1})
		t.Logf("%v: chi-square %.2f", how, chi)
		if p := byChance(chi, 2); p < tooRare {
			t.Errorf("%v: chi-square %.2f of %v, which chance makes with a probability of %.1g", how, chi, counts, p)
		}
	}
}

// TestCallsAreNotFavoured: a stop takes effect as the thread leaves the kernel,
// but the samples of system calls are no more than their time. On a busy machine a
// thread loses its processor there rather than elsewhere.
func TestCallsAreNotFavoured(t *testing.T) {
	needTiming(t)
	cmd := start(t, compile(t, "shares", "-O1"), "calls")
	p := record(t, cmd, capture.Options{Interval: time.Millisecond, Jitter: time.Millisecond, Duration: 4 * time.Second})
	counts, truth := map[string]int{}, 0.0
	for _, th := range p.Threads {
		truth, _ = strconv.ParseFloat(th.Name, 64)
		for _, n := range th.Nodes() {
			counts[n.Function] += n.Count
		}
	}
	share := 100 * float64(counts["user"]) / float64(counts["user"]+counts["kernel"])
	t.Logf("user %d, kernel %d: %.1f %% in user, by the target's own account %.1f %%", counts["user"], counts["kernel"], share, truth)
	if truth > 0 && math.Abs(share-truth) > 7 {
		t.Errorf("%.1f %% of the samples are in user code, want %.1f", share, truth)
	}
}
