package recording

import (
	"testing"
	"time"

	"stacksnap/task"
)

// TestScheduleIsBounded: no recording makes a time that overflows, a turn that is
// none, or more times than there are.
func TestScheduleIsBounded(t *testing.T) {
	const most = time.Duration(1 << 61)
	for _, c := range []struct {
		before time.Duration
		units  int64
		want   time.Duration
	}{
		{5 * time.Microsecond, 3, 8 * time.Microsecond},
		{5 * time.Microsecond, -5, 0},
		{5 * time.Microsecond, -6, 0},
		{most, 1 << 62, most},
		{most / 2, -1 << 63, 0},
		{0, 1<<63 - 1, most / scheduleUnit * scheduleUnit},
	} {
		if got := laterBy(c.before, c.units); got != c.want {
			t.Errorf("%v and %d units: %v, want %v", c.before, c.units, got, c.want)
		}
	}
	if onCPUStateOf(uint64(task.Queued)) != task.Queued || onCPUStateOf(uint64(task.Queued)+1) != task.OnCPUUnknown {
		t.Error("a turn that is not known was taken")
	}
	var before thread
	if _, err := before.change(appendBytes(nil, 24, "\x02\x02\x02\x02")); err == nil {
		t.Error("four times were taken")
	}
	got, err := before.change(appendBytes(nil, 24, "\x02\x04"))
	if want := (task.Schedule{Ran: scheduleUnit, Queued: 2 * scheduleUnit}); err != nil || got.Schedule != want {
		t.Errorf("%+v, %v", got.Schedule, err)
	}
}

// TestLifetimeIsBounded: what is written is read again, and nothing overflows.
func TestLifetimeIsBounded(t *testing.T) {
	var before thread
	want := task.Lifetime{Age: 3 * time.Second, Ran: time.Second, Queued: scheduleUnit, Faults: 70, DiskFaults: 7, Nice: -20}
	got, err := before.change(appendLifetime(nil, &want))
	if err != nil || got.Lifetime.Known() != want {
		t.Errorf("%+v, %v; want %+v", got.Lifetime, err, want)
	}
	most := task.Lifetime{Age: 1<<63 - 1, Nice: 1<<63 - 1}
	got, err = before.change(appendLifetime(nil, &most))
	if err != nil || got.Lifetime.Age < 0 || got.Lifetime.Nice != 1<<31 {
		t.Errorf("%+v, %v", got.Lifetime, err)
	}
	if _, err := before.change(appendBytes(nil, 27, "\x02\x02\x02\x02\x02\x02\x02")); err == nil {
		t.Error("seven numbers were taken")
	}
}
