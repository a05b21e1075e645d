//go:build linux

package lastrun

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// maxFile is larger than any sched or stat file.
const maxFile = 8 << 10

// sched has the fields used of a thread's sched file (proc_sched_show_task,
// kernel/sched/debug.c).
type sched struct {
	last  time.Duration // when the thread last ran, by the clock of its processor
	waits uint64        // how often it has given up its processor voluntarily, for example to wait
}

// reader reads files below a directory, one after the other, into a buffer of its own.
type reader struct {
	dir int
	buf [maxFile]byte
}

func (r *reader) sched(path string) (sched, bool) { return parseSched(r.read(path)) }

// parseSched reads a sched file. It reports false if that lacks something, and if the thread has been
// moved to another processor on which it did not run yet: exec_start is 0 then.
func parseSched(text []byte) (sched, bool) {
	last, ok := milliseconds(valueOf(text, "se.exec_start"))
	waits, err := strconv.ParseUint(valueOf(text, "nr_voluntary_switches"), 10, 64)
	return sched{last, waits}, ok && last > 0 && err == nil
}

// valueOf returns what a line of a sched file says behind its name, which is padded, and a colon.
func valueOf(text []byte, name string) string {
	for {
		i := bytes.Index(text, []byte(name))
		if i < 0 {
			return ""
		}
		begins := i == 0 || text[i-1] == '\n'
		text = text[i+len(name):]
		if value, is := bytes.CutPrefix(bytes.TrimLeft(text, " "), []byte(":")); is && begins {
			value, _, _ = bytes.Cut(value, []byte("\n"))
			return string(bytes.TrimSpace(value))
		}
	}
}

// milliseconds parses a time in milliseconds with six digits after the decimal point.
func milliseconds(text string) (time.Duration, bool) {
	d, err := time.ParseDuration(text + "ms")
	return d, err == nil && d >= 0
}

// stat reads whether a thread is blocked or stopped, and on which processor it is or was last.
func (r *reader) stat(path string) (blocked bool, cpu int, ok bool) { return parseStat(r.read(path)) }

// parseStat reads a stat file (proc(5): the state is field 3, the processor field 39).
func parseStat(text []byte) (blocked bool, cpu int, ok bool) {
	const processor = 39 - 3
	_, rest, _ := bytes.Cut(text[max(0, bytes.LastIndexByte(text, ')')):], []byte(" "))
	i := 0
	for field := range bytes.FieldsSeq(rest) {
		switch i {
		case 0:
			blocked = bytes.ContainsAny(field, "SDTt")
		case processor:
			cpu, err := strconv.Atoi(string(field))
			return blocked, cpu, err == nil && cpu >= 0
		}
		i++
	}
	return false, 0, false
}

// read reads a small file of /proc; nothing if that is not possible. It is valid until the next one.
func (r *reader) read(path string) []byte {
	fd, err := unix.Openat(r.dir, path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = unix.Close(fd) }()
	n, err := unix.Read(fd, r.buf[:])
	if err != nil {
		return nil
	}
	return r.buf[:n]
}
