package ptrace

import (
	"bytes"
	"fmt"
	"strconv"
)

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
