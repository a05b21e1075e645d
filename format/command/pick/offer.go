package pick

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
	"stacksnap/task"
	"stacksnap/task/live"
)

const (
	maxBusiest = 8                      // the most processes offered
	busyTime   = 300 * time.Millisecond // time over which the CPU time of processes is measured
)

// offersTitle returns the title of the list of offered processes.
func offersTitle(offered []chosen, root bool) string {
	what := "The busiest processes"
	if offered[0].load == "" {
		what = "Nothing is busy; the processes with most CPU time so far"
	}
	if !root {
		what += ", of yours"
	}
	return what + " (for all else: stacksnap --help)"
}

// Busiest lets the user choose among the processes that are busiest or stuck, and returns
// the pid.
func Busiest(ctx context.Context, s out.Streams) (int, error) {
	began := time.Now()
	before, err := look()
	if err != nil {
		return 0, err
	}
	select {
	case <-time.After(busyTime):
	case <-ctx.Done():
		return 0, ErrNotChosen
	}
	after, err := look()
	if err != nil {
		return 0, err
	}
	offered := rankByLoad(before, after, time.Since(began))
	if len(offered) == 0 {
		return 0, cli.ErrNoTarget
	}
	which := &Choice{title: offersTitle(offered, os.Geteuid() == 0), shown: offered, now: time.Now()}
	for _, p := range after {
		which.pids = append(which.pids, p.PID)
	}
	return which.Ask(ctx, s)
}

// look returns this user's processes (for root, all) but our own.
func look() ([]chosen, error) {
	all, err := live.All()
	if err != nil {
		return nil, err
	}
	var own []chosen
	for _, candidate := range all {
		d := live.Details(candidate.PID)
		if candidate.PID != os.Getpid() && (os.Geteuid() == 0 || d.User == os.Getuid()) {
			own = append(own, chosen{Candidate: candidate, Details: d})
		}
	}
	return own, nil
}

// rankByLoad returns the processes that were stuck both before and after, and those that
// used CPU time between, busiest first. If there are none, it returns those with the most
// CPU time so far.
func rankByLoad(before, after []chosen, elapsed time.Duration) []chosen {
	earlier := map[int]task.Details{}
	for _, p := range before {
		earlier[p.PID] = p.Details
	}
	used := func(p chosen) time.Duration {
		b, ok := earlier[p.PID]
		if !ok || p.CPU < 0 || b.CPU < 0 || !near(b.Start, p.Start) {
			return 0
		}
		return p.CPU - b.CPU
	}
	order := map[int]time.Duration{}
	var busy []chosen
	for _, p := range after {
		order[p.PID] = used(p)
		switch {
		case p.Stuck && earlier[p.PID].Stuck && used(p) == 0:
			p.load, order[p.PID] = "stuck", math.MaxInt64
		case used(p) > 0:
			p.load = fmt.Sprintf("%.0f%%", 100*float64(used(p))/float64(elapsed))
		default:
			continue
		}
		busy = append(busy, p)
	}
	if len(busy) == 0 {
		busy = slices.Clone(after)
		for _, p := range busy {
			order[p.PID] = p.CPU
		}
	}
	slices.SortStableFunc(busy, func(a, b chosen) int { return cmp.Compare(order[b.PID], order[a.PID]) })
	return busy[:min(len(busy), maxBusiest)]
}

// near reports whether two start times are those of the same process. They are computed
// from the time since boot, and change a little when the clock is set.
func near(a, b time.Time) bool { return a.Sub(b).Abs() < time.Second }
