package headline

import (
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// TestBusyOf: no more is said of a thread than its counters prove.
func TestBusyOf(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	for name, tt := range map[string]struct {
		user, system time.Duration
		life         task.Lifetime
		want         Busy
	}{
		"always on a CPU":       {930 * ms, 0, task.Lifetime{Age: s, Ran: 930 * ms, Queued: 5 * ms}, Busy{Share: 0.93}},
		"by its CPU time alone": {600 * ms, 0, task.Lifetime{Age: s}, Busy{Share: 0.6}},
		"more than its age":     {s, 0, task.Lifetime{Age: s, Ran: s + ms}, Busy{Share: 1}},
		"idle for a day":        {10 * s, 0, task.Lifetime{Age: 24 * time.Hour, Ran: 10 * s, Queued: 90 * s}, Busy{}},
		"just started":          {100 * ms, 0, task.Lifetime{Age: 190 * ms, Ran: 190 * ms}, Busy{}},
		"nothing counted":       {s, 0, task.Lifetime{}, Busy{}},
		"beside others":         {100 * ms, 0, task.Lifetime{Age: s, Ran: 100 * ms, Queued: 900 * ms, Nice: -5}, Busy{Share: 0.1, Queued: 0.9, Waited: 0.9}},
		"nice":                  {100 * ms, 0, task.Lifetime{Age: s, Ran: 100 * ms, Queued: 900 * ms, Nice: 19}, Busy{Share: 0.1, Queued: 0.9, Waited: 0.9, Nice: 19}},
		"nice, alone":           {s, 0, task.Lifetime{Age: s, Ran: s, Nice: 19}, Busy{Share: 1}},
		"in the kernel":         {50 * ms, 150 * ms, task.Lifetime{Age: s, Ran: 200 * ms, Faults: 2999}, Busy{System: 0.75}},
		"a tick in the kernel":  {0, 90 * ms, task.Lifetime{Age: s, Ran: 90 * ms}, Busy{}},
		"faults":                {0, 500 * ms, task.Lifetime{Age: s, Ran: 500 * ms, Faults: 10_000}, Busy{Share: 0.5, System: 1, Faults: 10_000}},
		"faults as it began":    {s, 100 * ms, task.Lifetime{Age: 10 * s, Ran: s + 100*ms, Faults: 30_000, DiskFaults: 400}, Busy{}},
		"from disk":             {300 * ms, 200 * ms, task.Lifetime{Age: 10 * s, Ran: 500 * ms, Faults: 700, DiskFaults: 600}, Busy{Faults: 700, DiskFaults: 600, Paging: true}},
		"from disk, at load":    {0, 50 * ms, task.Lifetime{Age: 10 * s, Ran: 50 * ms, Queued: 9 * s, Faults: 99, DiskFaults: 99}, Busy{Share: 0.005, Queued: 0.9, Waited: 9.0 / 9.05, Faults: 99, DiskFaults: 99, Paging: true}},
		"from disk, short life": {0, 0, task.Lifetime{Age: 300 * ms, Faults: 49, DiskFaults: 49}, Busy{}},
	} {
		got := BusyOf(&profile.Thread{User: tt.user, System: tt.system, Lifetime: tt.life})
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// TestBusiestThread: the headline has the runnable thread with the most CPU time.
func TestBusiestThread(t *testing.T) {
	some := []*profile.Thread{thread(2, task.Running, nil), thread(3, task.Running, nil), thread(4, task.Sleeping, nil)}
	for i, th := range some {
		th.User = time.Duration(i)
	}
	if h := Of(one(some...)); h.Kind != Running || h.Threads != 2 || h.Thread != some[1] {
		t.Errorf("%+v", h)
	}
}
