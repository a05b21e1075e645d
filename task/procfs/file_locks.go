//go:build linux

package procfs

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// LockHolder implements [task.PeerFinder]. The process that /proc/locks names may have left the
// lock to other processes that have the same descriptor, as flock(1) does when a shell runs it,
// and for a lock by F_OFD_SETLK the file names no process. In both cases the holder is the
// process that has such a descriptor, if there is exactly one.
func (p *Process) LockHolder(fd int) (int, bool) {
	file, ok := p.fileAt(fd)
	if !ok {
		return 0, false
	}
	proc, err := OpenDir("/proc")
	if err != nil {
		return 0, false
	}
	defer proc.Close()
	b, err := proc.read("locks")
	if err != nil {
		return 0, false
	}
	pid, ok := lockHolder(b, file, p.PID)
	if !ok {
		return 0, false
	}
	if pid > 0 {
		if has, asked := hasLock(pid, file); has || !asked {
			return pid, true
		}
	}
	return soleLocker(file)
}

// LockedBy implements [task.PeerFinder].
func (p *Process) LockedBy(fd, pid int) bool {
	file, ok := p.fileAt(fd)
	if !ok {
		return false
	}
	has, _ := hasLock(pid, file)
	return has
}

// fileAt returns the file at a descriptor of the target as /proc/locks identifies it.
func (p *Process) fileAt(fd int) (lockedFile, bool) {
	st, ok := p.statFile(fd)
	if !ok {
		return lockedFile{}, false
	}
	return lockedFile{unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino}, true
}

// soleLocker returns the only process that has a lock on a file, among those whose descriptors
// may be read.
func soleLocker(file lockedFile) (pid int, ok bool) {
	all, err := PIDs()
	if err != nil {
		return 0, false
	}
	for _, id := range all {
		switch has, _ := hasLock(id, file); {
		case !has:
		case ok:
			return 0, false
		default:
			pid, ok = id, true
		}
	}
	return pid, ok
}

// hasLock reports whether a process has a descriptor through which a lock on a file was made:
// the descriptor's fdinfo file has a line for each such lock (show_fd_locks, fs/locks.c), which
// is the line of /proc/locks after the word "lock:". asked is false if the process's files may
// not be read.
func hasLock(pid int, file lockedFile) (has, asked bool) {
	proc, err := OpenDir("/proc/" + strconv.Itoa(pid))
	if err != nil {
		return false, !isDenied(err)
	}
	defer proc.Close()
	fds, err := openDirAt(proc.fd, "fd")
	if err != nil {
		return false, !isDenied(err)
	}
	defer fds.Close()
	for _, n := range fds.Numbers() {
		link, err := fds.readlink(strconv.Itoa(n))
		if isDenied(err) {
			return false, false
		}
		if err != nil || !strings.HasPrefix(link, "/") {
			continue // an epoll instance's is long, and reading it takes the instance's mutex
		}
		if b, err := proc.read("fdinfo/" + strconv.Itoa(n)); err == nil && infoHasLock(b, file) {
			return true, true
		}
	}
	return false, true
}

func infoHasLock(fdinfo []byte, file lockedFile) bool {
	for line := range bytes.Lines(fdinfo) {
		if lock, ok := bytes.CutPrefix(line, []byte("lock:")); ok {
			if l, ok := parseLock(lock); ok && l.file == file.String() {
				return true
			}
		}
	}
	return false
}

// lockedFile is a file as /proc/locks identifies it.
type lockedFile struct {
	major, minor uint32
	inode        uint64
}

func (f lockedFile) String() string { return fmt.Sprintf("%02x:%02x:%d", f.major, f.minor, f.inode) }

// lock is a line of /proc/locks (lock_get_status, fs/locks.c)
//
//	ID: KIND ADVISORY WRITE PID MAJOR:MINOR:INODE START END
//
// with "->" before the kind if a process waits for the lock: the ID is then that of the lock in
// its way. The pid is −1 for a lock that belongs to no process.
type lock struct {
	id, file string
	waits    bool
	pid      int
}

func parseLock(line []byte) (l lock, ok bool) {
	f := bytes.Fields(line)
	if len(f) > 1 && string(f[1]) == "->" {
		l.waits = true
		f = append(f[:1:1], f[2:]...)
	}
	if len(f) < 8 {
		return lock{}, false
	}
	pid, err := strconv.Atoi(string(f[4]))
	l.id, l.pid, l.file = string(f[0]), pid, string(f[5])
	return l, err == nil
}

// lockHolder finds the process that has the lock on a file for which another process waits, in
// /proc/locks: the lock that is in the waiter's way or, if the waiter is not listed, the only
// one on the file. If there are several, it returns false. A negative pid is that of a lock of
// no process.
func lockHolder(locks []byte, file lockedFile, waiter int) (pid int, ok bool) {
	name := file.String()
	var held []lock
	wanted := map[string]bool{}
	for line := range bytes.Lines(locks) {
		switch l, ok := parseLock(line); {
		case !ok || l.file != name:
		case !l.waits:
			held = append(held, l)
		case l.pid == waiter:
			wanted[l.id] = true
		}
	}
	for _, l := range held {
		if len(wanted) > 0 && !wanted[l.id] {
			continue
		}
		if l.pid == 0 || ok && l.pid != pid {
			return 0, false
		}
		pid, ok = l.pid, true
	}
	return pid, ok
}
