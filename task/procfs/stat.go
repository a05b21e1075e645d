//go:build linux

package procfs

import (
	"bytes"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/procfs/lastrun"
)

var errStat = errors.New("not a stat file of /proc")

// userHZ is the unit of times in /proc: USER_HZ, 100 a second on every
// architecture that Go runs on (include/asm-generic/param.h).
const userHZ = 100

// Stat has the fields used of /proc/PID/stat and /proc/PID/task/TID/stat (proc(5)).
type Stat struct {
	name         []byte // comm, at most 15 bytes; a slice of the parsed text
	state        byte
	parent       int
	flags        uint64
	user, system time.Duration
	start        time.Duration // since boot
	processor    int           // the one on which it is or last was
}

// State returns the state of the thread.
func (s *Stat) State() task.State { return threadState(s.state) }

// Processor returns the processor on which the thread is or last was; −1 if unknown.
func (s *Stat) Processor() int { return s.processor }

// The numbers of the fields after the name, counted from the state as 0.
const (
	statState  = 0  // (3)
	statParent = 1  // (4)
	statFlags  = 6  // (9)
	statUser   = 11 // (14)
	statSystem = 12 // (15)
	statStart  = 19 // (22)
	statCPU    = 36 // (39)
)

// parseStat reads a stat file. The name is between the first "(" and the last ")", because it
// may contain parentheses and spaces.
func parseStat(b []byte) (Stat, error) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open || end+2 > len(b) {
		return Stat{}, errStat
	}
	s := Stat{name: b[open+1 : end]}
	c := fields{rest: bytes.TrimRight(b[end+2:], "\n")}
	for i := 0; i <= statStart && !c.bad; i++ {
		s.set(i, &c)
	}
	if c.bad {
		return Stat{}, errStat
	}
	s.processor = c.processor()
	return s, nil
}

// afterName returns the fields of a stat file from the state on.
func afterName(b []byte) fields {
	end := bytes.LastIndexByte(b, ')')
	if end < 0 || end+2 > len(b) {
		return fields{bad: true}
	}
	return fields{rest: b[end+2:]}
}

// processor returns the processor, which follows the start time; −1 if it is missing.
func (c *fields) processor() int {
	c.skip(statCPU - statStart - 1)
	const most = 1 << 20
	n := c.decimal()
	if c.bad || n > most {
		return -1
	}
	return int(n)
}

// set sets field i from the cursor.
func (s *Stat) set(i int, c *fields) {
	switch i {
	case statState:
		if w := c.word(); len(w) == 1 {
			s.state = w[0]
		} else {
			c.bad = true
		}
	case statParent:
		s.parent = int(c.decimal())
	case statFlags:
		s.flags = c.decimal()
	case statUser:
		s.user = ticks(c.decimal())
	case statSystem:
		s.system = ticks(c.decimal())
	case statStart:
		s.start = ticks(c.decimal())
	default:
		c.word() // may be negative
	}
}

func ticks(n uint64) time.Duration {
	const limit = uint64(1<<63-1) / uint64(time.Second/userHZ)
	return time.Duration(min(n, limit)) * (time.Second / userHZ)
}

// threadState translates the letter of a state (task_state_array,
// fs/proc/array.c). An idle kernel thread (I) sleeps.
func threadState(letter byte) task.State {
	switch letter {
	case 'R':
		return task.Running
	case 'S', 'I':
		return task.Sleeping
	case 'D':
		return task.Uninterruptible
	case 'T', 't':
		return task.Stopped
	case 'Z', 'X', 'x':
		return task.Ended
	}
	return task.StateUnknown
}

// The numbers of further fields, counted in the same way: page faults and the nice value.
const (
	statMinorFaults = 7  // (10)
	statMajorFaults = 9  // (12)
	statNice        = 16 // (19)
)

// Lifetime implements [task.Capabilities].Lifetime.
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
	// Recordings have microseconds.
	l.Age, l.Ran, l.Queued = l.Age.Truncate(time.Microsecond), l.Ran.Truncate(time.Microsecond), l.Queued.Truncate(time.Microsecond)
	return l, true
}

// NoteBlocked implements [task.Capabilities].NoteBlocked.
func (p *Process) NoteBlocked(ids []task.ThreadID) func(map[task.ThreadID]int) map[task.ThreadID]time.Duration {
	return lastrun.Note(p.Files.Dir.fd, ids).NotRun
}

// parseLifetime reads the counts of a stat file. now is the time since boot.
func parseLifetime(b []byte, now time.Duration) (l task.Lifetime, ok bool) {
	s, err := parseStat(b)
	if err != nil || s.start >= now {
		return task.Lifetime{}, false
	}
	c := afterName(b)
	minor, major := c.faults()
	c.skip(statNice - statMajorFaults - 1)
	l = task.Lifetime{Age: now - s.start, Faults: minor + major, DiskFaults: major, Nice: c.integer()}
	return l, !c.bad
}

// parseFaults reads the number of page faults from a stat file.
func parseFaults(b []byte) (n uint64, ok bool) {
	c := afterName(b)
	minor, major := c.faults()
	return minor + major, !c.bad
}

// faults reads the page fault counts, with the cursor at the state.
func (c *fields) faults() (minor, major uint64) {
	c.skip(statMinorFaults)
	minor = c.decimal()
	c.skip(statMajorFaults - statMinorFaults - 1)
	return minor, c.decimal()
}
