//go:build linux

package lastrun

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// maxFile is more than a sched or stat file has.
const maxFile = 8 << 10

// buffer is for one file at a time. On a stack it would make that grow.
type buffer [maxFile]byte

// sched is what is used of a thread's sched file (proc_sched_show_task, kernel/sched/debug.c).
type sched struct {
	last  time.Duration // when the thread ran last, by the clock of the processor that it was on
	waits uint64        // how often it has given up its processor by itself, as to wait
}

func (b *buffer) readSched(dir int, path string) (sched, bool) {
	return parseSched(b.readFile(dir, path))
}

// parseSched reads a sched file. It reports false if that lacks something, and if the thread has been
// moved to another processor on which it did not run yet: exec_start is 0 then.
func parseSched(text []byte) (s sched, ok bool) {
	var found int
	for line := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch string(bytes.TrimSpace(name)) {
		case "se.exec_start":
			s.last, ok = milliseconds(string(bytes.TrimSpace(value)))
			found++
		case "nr_voluntary_switches":
			n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 64)
			if s.waits = n; err != nil {
				return sched{}, false
			}
			found++
		}
	}
	return s, ok && found == 2 && s.last > 0
}

// milliseconds reads a time in milliseconds with six digits behind the point.
func milliseconds(text string) (time.Duration, bool) {
	d, err := time.ParseDuration(text + "ms")
	return d, err == nil && d >= 0
}

// readStat reads whether a thread is blocked or stopped, and on which processor it is or was last.
func (b *buffer) readStat(dir int, path string) (blocked bool, cpu int, ok bool) {
	return parseStat(b.readFile(dir, path))
}

// parseStat reads a stat file (proc(5): the state is field 3, the processor field 39).
func parseStat(text []byte) (blocked bool, cpu int, ok bool) {
	const processor = 39 - 3
	_, rest, _ := bytes.Cut(text[max(0, bytes.LastIndexByte(text, ')')):], []byte(" "))
	all := bytes.Fields(rest)
	if len(all) <= processor {
		return false, 0, false
	}
	cpu, err := strconv.Atoi(string(all[processor]))
	return bytes.ContainsAny(all[0], "SDTt"), cpu, err == nil && cpu >= 0
}

// readFile reads a small file of /proc, as long as no other is read; nothing if that is not possible.
func (b *buffer) readFile(dir int, path string) []byte {
	fd, err := unix.Openat(dir, path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = unix.Close(fd) }()
	n, err := unix.Read(fd, b[:])
	if err != nil {
		return nil
	}
	return b[:n]
}
