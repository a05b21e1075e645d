//go:build linux

package procfs

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// LockHolder implements [task.PeerFinder]. The process that /proc/locks names may
// have left the lock to those that have the descriptor as well, as flock(1) does that a
// shell calls, and of a lock by F_OFD_SETLK it names none: then it is who has such a
// descriptor, where that is one process.
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

// fileAt is the file at a descriptor of the target, as /proc/locks names it.
func (p *Process) fileAt(fd int) (lockedFile, bool) {
	st, ok := p.statFile(fd)
	if !ok {
		return lockedFile{}, false
	}
	return lockedFile{unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino}, true
}

// soleLocker finds the only process, of those that may be asked, that has a lock of a
// file.
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

// hasLock reports whether a process has a descriptor by which a lock of a file came about:
// its fdinfo file has a line for each such lock (show_fd_locks, fs/locks.c), which is
// that of /proc/locks behind the word "lock:". Asked is false of a process that may not
// be asked.
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
			continue // of an epoll instance it is long, and takes its lock
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

// lockedFile is a file as /proc/locks names it.
type lockedFile struct {
	major, minor uint32
	inode        uint64
}

func (f lockedFile) String() string { return fmt.Sprintf("%02x:%02x:%d", f.major, f.minor, f.inode) }

// lock is a line of /proc/locks (lock_get_status, fs/locks.c)
//
//	ID: KIND ADVISORY WRITE PID MAJOR:MINOR:INODE START END
//
// with "->" before the kind of a lock that is only waited for: the ID is then that of
// the lock that is in the way. The pid is −1 of a lock that belongs to no process.
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

// lockHolder finds the process that has the lock of a file for which another process
// waits, in /proc/locks: that in the way of it or, where it is not seen to wait, the only
// one there is. Several are no answer; a negative pid is that of a lock of no process.
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
