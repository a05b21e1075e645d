//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/regular"
)

var _ task.PerfMapper = (*Process)(nil)

// Why a perf map or a jitdump is not believed.
var (
	errNotRegular = errors.New("not a regular file with one name")
	errOthers     = errors.New("it is another user's, or others may write to it")
	errOlder      = errors.New("it was written before the process began, by another of that number")
	errRemote     = errors.New("it is on a file system that may not answer")
)

// OpenPerfMap implements [task.PerfMapper]: /tmp/perf-PID.map, below the target's
// root and with the number that it has in its own namespace. The last name must be
// no link.
func (p *Process) OpenPerfMap() (*os.File, string, error) {
	pid, user, err := p.within()
	if err != nil {
		return nil, "", err
	}
	name := fmt.Sprintf("/tmp/perf-%d.map", pid)
	f, err := p.openBelieved(name, user)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	return f, name, nil
}

// within returns the number that the target has in its own namespace, and by whose
// rights it makes files.
func (p *Process) within() (pid int, user uint32, err error) {
	status, err := p.live.read("status")
	if err != nil {
		return 0, 0, err
	}
	pid = lastNumber(statusValue(status, "NSpid:"))
	if pid <= 0 {
		pid = p.pid
	}
	return pid, effectiveUser(status), nil
}

// openBelieved looks at the file first, and opens the one that it looked at.
func (p *Process) openBelieved(name string, user uint32) (*os.File, error) {
	seen, err := p.root().Look(name, unix.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	defer func() { _ = seen.Close() }() // it was only looked at
	if err := believe(int(seen.Fd()), user, p.facts.Start); err != nil {
		return nil, err
	}
	f, _, err := regular.Reopen(seen, name)
	return f, err
}

// startSlack is how far a process's start may be told after what it wrote.
const startSlack = time.Second

// believe tells why a file is not to be believed: only the target's user and root
// can have written it, as no link to another, since the target was started.
func believe(fd int, user uint32, started time.Time) error {
	var st unix.Stat_t
	var fs unix.Statfs_t
	if err := errors.Join(unix.Fstat(fd, &st), unix.Fstatfs(fd, &fs)); err != nil {
		return err
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink != 1:
		return errNotRegular
	case st.Uid != user && st.Uid != 0 || st.Mode&unix.S_IWOTH != 0:
		return errOthers
	case !started.IsZero() && time.Unix(st.Mtim.Unix()).Before(started.Add(-startSlack)):
		return errOlder
	case !isLocal(int64(fs.Type)):
		return errRemote
	}
	return nil
}

// isLocal tells whether a file system answers without asking another process or
// computer (statfs(2)).
func isLocal(kind int64) bool {
	switch uint32(kind) {
	case unix.TMPFS_MAGIC, unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC,
		unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.RAMFS_MAGIC, zfsMagic:
		return true
	}
	return false
}

const zfsMagic = 0x2fc12fc1
