//go:build linux && (amd64 || arm64)

package e2e

import (
	"context"
	"math"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/live"
)

// long tells whether there is time for many runs.
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
		t.Skipf("the target cannot be opened: %v", err)
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
	if total < 100 {
		t.Fatalf("only %d samples: %v", total, counts)
	}
	chi := 0.0
	for f, share := range shares {
		want := share * float64(total)
		chi += math.Pow(float64(counts[f])-want, 2) / want
	}
	return chi
}

// TestSharesOfTime: samples of a target that never blocks are independent when
// the interval is longer than its rhythm and jittered, so that their numbers
// differ from the true shares as chance has it. The shares are of its work, and so
// of the time in which it has a processor.
func TestSharesOfTime(t *testing.T) {
	cmd := start(t, compile(t, "shares", "-O1"), "split")
	runs, sum := 4, 0.0
	if long() {
		runs = 40
	}
	shares := map[string]float64{"seventy": 0.7, "twenty": 0.2, "ten": 0.1}
	for range runs {
		p, counts := independent(t, cmd, 700, capture.Options{Interval: 2 * time.Millisecond, Jitter: 2 * time.Millisecond})
		chi := chiSquare(t, counts, shares)
		t.Logf("seventy %d twenty %d ten %d of %d; chi-square %.2f; missed %d; stopped %v, longest %v, own CPU %v",
			counts["seventy"], counts["twenty"], counts["ten"], p.Snapshots, chi, p.MissedTicks, p.Stopped, p.LongestStop, p.OwnCPU)
		sum += chi
	}
	// The sum has 2·runs degrees of freedom: mean that many, variance twice.
	freedom := float64(2 * runs)
	if limit := freedom + 5*math.Sqrt(2*freedom); sum > limit {
		t.Errorf("chi-square %.1f over %d runs, want at most %.1f", sum, runs, limit)
	}
}

func TestPhases(t *testing.T) {
	cmd := start(t, compile(t, "shares", "-O1"), "phases")
	p := record(t, cmd, capture.Options{Interval: time.Millisecond, Duration: 6 * time.Second})
	counts := selfCounts(p)
	total := counts["phase0"] + counts["phase1"] + counts["phase2"]
	t.Logf("%d %d %d of %d snapshots, %d missed", counts["phase0"], counts["phase1"], counts["phase2"], p.Snapshots, p.MissedTicks)
	for _, f := range []string{"phase0", "phase1", "phase2"} {
		if share := float64(counts[f]) / float64(total); math.Abs(share-1./3) > 0.06 {
			t.Errorf("%s has %.1f %% of the samples, want a third", f, 100*share)
		}
	}
}

// TestPeriodicLoad: a target with the period of the interval is seen in one of
// its halves only, unless there is jitter.
func TestPeriodicLoad(t *testing.T) {
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
	for _, how := range []task.Suspension{task.SuspendThread, task.SuspendTask, task.SuspendTogether} {
		_, counts := independent(t, cmd, 1000, capture.Options{
			Interval: 2 * time.Millisecond, Jitter: 2 * time.Millisecond, Suspend: how,
		})
		chi := chiSquare(t, counts, map[string]float64{"seventy": 0.7, "twenty": 0.2, "ten": 0.1})
		t.Logf("%v: chi-square %.2f", how, chi)
		if chi > 20 { // 2 degrees of freedom: one in 20,000
			t.Errorf("%v: chi-square %.2f of %v", how, chi, counts)
		}
	}
}

// TestCallsAreNotFavoured: a stop takes effect as the thread leaves the kernel,
// but the samples of system calls are no more than their time.
func TestCallsAreNotFavoured(t *testing.T) {
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
