package words

import (
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestTurn says no more than is known.
func TestTurn(t *testing.T) {
	for want, th := range map[string]profile.Thread{
		"on CPU 0":          {State: task.Running, OnCPUState: task.OnCPU},
		"on CPU 12":         {State: task.Running, OnCPUState: task.OnCPU, Processor: 12},
		"on a CPU each":     {State: task.Running, OnCPUState: task.OnCPU, Processor: -1},
		"waiting for a CPU": {State: task.Running, OnCPUState: task.Queued, Processor: 3},
		"runnable":          {State: task.Running},
		"sleeping":          {State: task.Sleeping, OnCPUState: task.OnCPU},
		"":                  {},
	} {
		if got := turn(&th); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCpu gives the part of the system's where that is more than nothing.
func TestCpu(t *testing.T) {
	const ms = time.Millisecond
	one, many := oneOf(), aSecondOf()
	for want, c := range map[string]struct {
		p            *profile.Profile
		user, system time.Duration
	}{
		"":                          {one, 0, 0},
		"CPU 0.500 s":               {one, 499 * ms, ms},
		"CPU 0.510 s (98 % system)": {one, 10 * ms, 500 * ms},
		"CPU 0.510 s since its start (2 % system), 0.020 s of it meanwhile": {many, 500 * ms, 10 * ms},
	} {
		th := &profile.Thread{User: c.user, System: c.system, Used: 20 * ms}
		if got := (&Printer{Profile: c.p}).Cpu(th); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSpentIsWritten without what is no more than the counters' doubt.
func TestSpentIsWritten(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	for want, spend := range map[string]profile.Spent{
		"": {},
		"1.000 s on CPU, 2.000 s waiting for a CPU, 3.000 s blocked": {OnCPU: s, Queued: 2 * s, Blocked: 3 * s},
		"1.000 s on CPU":  {OnCPU: s, Queued: 4 * ms, Blocked: 5 * ms},
		"0.004 s on CPU":  {OnCPU: 4 * ms, Queued: 300 * time.Microsecond},
		"1.000 s blocked": {Blocked: s},
		"0.001 s on CPU":  {OnCPU: 500 * time.Microsecond},
	} {
		if got := SpentText(spend); got != want {
			t.Errorf("%+v: %q, want %q", spend, got, want)
		}
	}
}
