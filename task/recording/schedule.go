package recording

import (
	"encoding/binary"
	"time"

	"stacksnap/task"
)

// scheduleUnit is the unit of times in a thread's schedule.
const scheduleUnit = time.Microsecond

// appendSchedule appends the changes of how a thread is scheduled.
func (before *thread) appendSchedule(b []byte, t *thread) []byte {
	if t.Schedule != before.Schedule {
		var at int
		b, at = begin(b, 24)
		was := counted(&before.Schedule)
		for i, d := range counted(&t.Schedule) {
			b = binary.AppendUvarint(b, zigzag(int64((*d-*was[i])/scheduleUnit)))
		}
		b = end(b, at)
	}
	if l := t.Lifetime.Known(); l != before.Lifetime.Known() {
		b = appendLifetime(b, &l)
	}
	if t.NotRun != before.NotRun {
		b = appendUint(b, 28, uint64(t.NotRun/scheduleUnit))
	}
	if t.OnCPUState != before.OnCPUState {
		b = appendUint(b, 25, uint64(t.OnCPUState))
	}
	if t.Processor != before.Processor {
		b = appendUint(b, 26, uint64(t.Processor))
	}
	return b
}

func counted(s *task.Schedule) [3]*time.Duration {
	return [...]*time.Duration{&s.Ran, &s.Queued, &s.Stopped}
}

func (t *thread) parseSchedule(m *message) {
	switch m.field {
	case 24:
		of, i := counted(&t.Schedule), 0
		m.packed(func(n uint64) error {
			if i == len(of) {
				return errTooBig
			}
			*of[i] = laterBy(*of[i], unzigzag(n))
			i++
			return nil
		})
	case 25:
		t.OnCPUState = onCPUStateOf(m.n)
	case 26:
		t.Processor = index(m.n)
	case 27:
		t.parseLifetime(m)
	case 28:
		t.NotRun = laterBy(0, int64(min(m.n, 1<<62)))
	}
}

// appendLifetime appends what was counted for a thread. Only single snapshots have it.
func appendLifetime(b []byte, l *task.Lifetime) []byte {
	b, at := begin(b, 27)
	for _, n := range []uint64{
		uint64(l.Age / scheduleUnit), uint64(l.Ran / scheduleUnit), uint64(l.Queued / scheduleUnit), l.Faults, l.DiskFaults, zigzag(int64(l.Nice)),
	} {
		b = binary.AppendUvarint(b, n)
	}
	return end(b, at)
}

func (t *thread) parseLifetime(m *message) {
	var all [6]uint64
	i := 0
	m.packed(func(n uint64) error {
		if i == len(all) {
			return errTooBig
		}
		all[i] = n
		i++
		return nil
	})
	units := func(n uint64) time.Duration { return laterBy(0, int64(min(n, 1<<62))) }
	const most = 1 << 31
	t.Lifetime = nil
	if l := (task.Lifetime{
		Age: units(all[0]), Ran: units(all[1]), Queued: units(all[2]),
		Faults: all[3], DiskFaults: all[4], Nice: int(max(-most, min(unzigzag(all[5]), most))),
	}); l != (task.Lifetime{}) {
		t.Lifetime = &l
	}
}

// laterBy adds units to a time, limited to a valid range.
func laterBy(d time.Duration, units int64) time.Duration {
	const most = time.Duration(1 << 61)
	const mostUnits = int64(most / scheduleUnit)
	return min(max(0, d+time.Duration(min(max(units, -mostUnits), mostUnits))*scheduleUnit), most)
}

func onCPUStateOf(n uint64) task.OnCPUState {
	if n > uint64(task.Queued) {
		return task.OnCPUUnknown
	}
	return task.OnCPUState(n)
}
