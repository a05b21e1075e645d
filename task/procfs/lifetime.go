//go:build linux

package procfs

import (
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// The numbers of the fields of a stat file that only a lifetime has, counted as those of [Stat].
const (
	statMinorFaults = 7  // (10)
	statMajorFaults = 9  // (12)
	statNice        = 16 // (19)
)

// Lifetime is that of [task.Capabilities].
func (p *Process) Lifetime(id task.ThreadID) (task.Lifetime, bool) {
	var now unix.Timespec
	text := p.Files.read(int(id))
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return task.Lifetime{}, false
	}
	l, ok := parseLifetime(text, time.Duration(now.Nano()))
	if !ok {
		return task.Lifetime{}, false
	}
	if e := p.Files.Find(int(id)); e != nil {
		if _, counted := p.Files.Count(e); counted {
			l.Ran, l.Queued = e.Ran, e.Queued
		}
	}
	// A recording keeps microseconds.
	l.Age, l.Ran, l.Queued = l.Age.Truncate(time.Microsecond), l.Ran.Truncate(time.Microsecond), l.Queued.Truncate(time.Microsecond)
	return l, true
}

// parseLifetime reads what a stat file counts, at a time since boot.
func parseLifetime(b []byte, now time.Duration) (l task.Lifetime, ok bool) {
	s, err := parseStat(b)
	if err != nil || s.start >= now {
		return task.Lifetime{}, false
	}
	l.Age = now - s.start
	c := afterName(b)
	for i := 0; i <= statNice && !c.bad; i++ {
		switch i {
		case statMinorFaults:
			l.Faults = c.decimal()
		case statMajorFaults:
			l.DiskFaults = c.decimal()
		case statNice:
			l.Nice = c.integer()
		default:
			c.word()
		}
	}
	l.Faults += l.DiskFaults
	return l, !c.bad
}

// parseFaults reads how many page faults a stat file counts.
func parseFaults(b []byte) (n uint64, ok bool) {
	c := afterName(b)
	for i := 0; i <= statMajorFaults && !c.bad; i++ {
		switch i {
		case statMinorFaults, statMajorFaults:
			n += c.decimal()
		default:
			c.word()
		}
	}
	return n, !c.bad
}
