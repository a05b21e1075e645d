//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// maxProcFile bounds what is read of one file of /proc: /proc/PID/maps of a
// process with the most mappings that the kernel allows by default is smaller.
const maxProcFile = 64 << 20

// procDir is an open directory of /proc. It stays that of the same process, or
// thread, when the number is given to another.
type procDir struct{ fd int }

func openProc(path string) (procDir, error) {
	return openDirAt(unix.AT_FDCWD, path)
}

func openDirAt(fd int, path string) (procDir, error) {
	fd, err := unix.Openat(fd, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return procDir{fd}, err
}

func (d procDir) close() { closeFD(d.fd) }

func closeFD(fd int) {
	if fd >= 0 {
		_ = unix.Close(fd)
	}
}

// open opens a file of the directory; −1 when that fails.
func (d procDir) open(name string) (int, error) {
	return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
}

// read reads a small file.
func (d procDir) read(name string) ([]byte, error) {
	fd, err := d.open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxProcFile))
}

func (d procDir) readlink(name string) (string, error) {
	var b [unix.PathMax]byte
	n, err := unix.Readlinkat(d.fd, name, b[:])
	if err != nil {
		return "", err
	}
	return string(b[:n]), nil
}

// stat reads the stat file, and says false when there is none any more.
func (d procDir) stat() (stat, bool) {
	b, err := d.read("stat")
	if err != nil {
		return stat{}, false
	}
	s, err := parseStat(b)
	return s, err == nil
}

// exe returns the path of the program in the target's own view.
func (d procDir) exe() string {
	path, err := d.readlink("exe")
	if err != nil {
		return ""
	}
	path, _ = cutDeleted(path)
	return path
}

// numbers lists the entries that are numbers.
func (d procDir) numbers() []int {
	var all []int
	var b [32 << 10]byte
	if rewind(d.fd) != 0 {
		return nil
	}
	for {
		n, errno := entries(d.fd, b[:])
		if errno != 0 || n == 0 {
			return all
		}
		for id, rest := nextNumber(b[:n]); id >= 0; id, rest = nextNumber(rest) {
			all = append(all, id)
		}
	}
}

// taskStats reads task/TID/stat of one process again and again, without
// allocating.
type taskStats struct {
	dir   int // /proc/PID/task
	buf   [1024]byte
	ahead int  // the thread of which first was read, before it is described; 0: none
	first stat // in buf
}

// read returns the file's bytes, valid until the next call; none when the
// thread is no more.
func (s *taskStats) read(tid int) []byte {
	s.ahead = 0
	return readTask(s.dir, tid, "/stat\x00", s.buf[:])
}

// state returns the letter of a thread's state, 0 when it is no more.
func (p *Process) state(tid int) byte {
	s, err := parseStat(p.stats.read(tid))
	if err != nil {
		return 0
	}
	return s.state
}

// statOf reads a thread's stat, through the file that is kept of a thread that
// is sampled.
func (p *Process) statOf(tid int) []byte {
	e := p.rests.of[tid]
	if e == nil {
		return p.stats.read(tid)
	}
	if e.stat < 0 {
		e.stat = openTask(p.threads.dir, tid, "/stat\x00")
	}
	p.stats.ahead = 0
	if e.stat >= 0 {
		if n := preadRaw(e.stat, p.stats.buf[:]); n > 0 {
			return p.stats.buf[:n]
		}
	}
	p.rests.drop(tid) // it has ended, though another may have its number
	return p.stats.read(tid)
}

// isReady tells whether a thread is on a processor or waits for one. What it has read
// Describe need not read again, if it is asked next.
func (p *Process) isReady(tid int) bool {
	s, err := parseStat(p.statOf(tid))
	if err != nil {
		return false
	}
	p.stats.ahead, p.stats.first = tid, s
	return threadState(s.state) == task.Running
}

// describe reads a thread's stat, unless it was read ahead.
func (p *Process) describe(tid int) (stat, error) {
	if p.stats.ahead == tid {
		p.stats.ahead = 0
		return p.stats.first, nil
	}
	return parseStat(p.statOf(tid))
}

// Describe implements [task.Process].
func (p *Process) Describe(id task.ThreadID, t *task.Thread) error {
	s, err := p.describe(int(id))
	if err != nil {
		return task.ErrThreadGone
	}
	if t.Name != string(s.name) {
		t.Name = string(s.name)
	}
	t.State = threadState(s.state)
	t.User, t.System = s.user, s.system
	if th := p.threads.find(int(id)); th != nil {
		th.asleep, th.sleeps, th.ready = t.State == task.Uninterruptible, t.State == task.Sleeping, t.State == task.Running
	}
	return nil
}
