//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// LockHolder implements [task.SyscallReader]. The process that /proc/locks names may
// have left the lock to those that have the descriptor as well, as flock(1) does that a
// shell calls, and of a lock by F_OFD_SETLK it names none: then it is who has such a
// descriptor, where that is one process.
func (p *Process) LockHolder(fd int) (int, bool) {
	file, ok := p.fileAt(fd)
	if !ok {
		return 0, false
	}
	proc, err := openProc("/proc")
	if err != nil {
		return 0, false
	}
	defer proc.close()
	b, err := proc.read("locks")
	if err != nil {
		return 0, false
	}
	pid, ok := lockHolder(b, file, p.pid)
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

// LockedBy implements [task.Linked].
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

// hasLock tells whether a process has a descriptor by which a lock of a file came about:
// its fdinfo file has a line for each such lock (show_fd_locks, fs/locks.c), which is
// that of /proc/locks behind the word "lock:". Asked is false of a process that may not
// be asked.
func hasLock(pid int, file lockedFile) (has, asked bool) {
	proc, err := openProc("/proc/" + strconv.Itoa(pid))
	if err != nil {
		return false, !isDenied(err)
	}
	defer proc.close()
	fds, err := openDirAt(proc.fd, "fd")
	if err != nil {
		return false, !isDenied(err)
	}
	defer fds.close()
	for _, n := range fds.numbers() {
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
