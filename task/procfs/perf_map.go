//go:build linux

package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task/regular"
)

// The reasons why a perf map or jitdump is not trusted.
var (
	errNotRegular = errors.New("not a regular file with one name")
	errOthers     = errors.New("it is another user's, or others may write to it")
	errOlder      = errors.New("it was written before the process began, by another of that number")
	errRemote     = errors.New("it is on a file system that may not answer")
)

// OpenPerfMap implements [task.MapReader]. The file is /tmp/perf-PID.map below the target's
// root, with the pid in the target's own namespace. It must not be a symbolic link.
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

// within returns the target's pid in its own namespace, and the user that owns the files it
// makes.
func (p *Process) within() (pid int, user uint32, err error) {
	status, err := p.live.read("status")
	if err != nil {
		return 0, 0, err
	}
	pid = lastNumber(statusValue(status, "NSpid:"))
	if pid <= 0 {
		pid = p.PID
	}
	return pid, effectiveUser(status), nil
}

// openBelieved checks a file before it opens it, and opens that same file.
func (p *Process) openBelieved(name string, user uint32) (*os.File, error) {
	seen, err := p.root().Look(name, unix.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	defer func() { _ = seen.Close() }() // only used for the check
	if err := believe(int(seen.Fd()), user, p.facts.Start); err != nil {
		return nil, err
	}
	f, _, err := regular.Reopen(seen, name)
	return f, err
}

// startSlack is how much later than the real time a process's start may be reported.
const startSlack = time.Second

// believe returns why a file is not trusted. A trusted file can have been written only by the
// target's user or root, has no other link, and is not older than the target's start.
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

// isLocal reports whether a file system of that kind (statfs(2)) answers without asking another
// process or computer.
func isLocal(kind int64) bool {
	switch uint32(kind) {
	case unix.TMPFS_MAGIC, unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC,
		unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.RAMFS_MAGIC, zfsMagic:
		return true
	}
	return false
}

const zfsMagic = 0x2fc12fc1

// OpenJITDump implements [task.MapReader]: the file jit-PID.dump, under the same rules as a perf
// map. It tries the mapped files first; a compiler may have unmapped its dump, or never mapped
// it.
func (p *Process) OpenJITDump(mapped []string) (*os.File, string, error) {
	pid, user, err := p.within()
	if err != nil {
		return nil, "", err
	}
	name := fmt.Sprintf("jit-%d.dump", pid)
	err = fmt.Errorf("%s: %w", name, unix.ENOENT)
	for _, file := range append(mapped[:len(mapped):len(mapped)], "/tmp/"+name) {
		if path.Base(file) != name || !path.IsAbs(file) {
			continue // perhaps the dump of a process that this one was forked from
		}
		f, why := p.openBelieved(file, user)
		if why == nil {
			return f, file, nil
		}
		err = fmt.Errorf("%s: %w", file, why)
	}
	for _, file := range p.dumpsAtHome(name) {
		if f, why := p.openBelieved(file, user); why == nil {
			return f, file, nil
		}
	}
	return nil, "", err
}

// maxDumpFolders bounds the directories that are searched for a dump: each process creates one.
const maxDumpFolders = 1 << 10

// dumpsAtHome returns the paths that a dump has in the directories of the target's home where
// perf's agent for Java and LLVM put it (debug_cache_init, tools/perf/jvmti/jvmti_agent.c;
// PerfJITEventListener).
func (p *Process) dumpsAtHome(name string) (paths []string) {
	environ, err := p.live.read("environ")
	home := homeOf(environ)
	if err != nil || !path.IsAbs(home) {
		return nil
	}
	folder := path.Join(home, ".debug/jit")
	for _, sub := range p.localFolder(folder) {
		paths = append(paths, path.Join(folder, sub, name))
	}
	return paths
}

// homeOf returns the directory in which a target with this environment puts dumps.
func homeOf(environ []byte) (home string) {
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if v, ok := bytes.CutPrefix(entry, []byte("JITDUMPDIR=")); ok && len(v) > 0 {
			return string(v)
		}
		if v, ok := bytes.CutPrefix(entry, []byte("HOME=")); ok {
			home = string(v)
		}
	}
	return home
}

// localFolder lists a directory below the target's root, unless it is on a file system that may
// not answer.
func (p *Process) localFolder(name string) []string {
	seen, err := p.root().Look(name, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = seen.Close() }() // only used for the check
	var fs unix.Statfs_t
	if unix.Fstatfs(int(seen.Fd()), &fs) != nil || !isLocal(int64(fs.Type)) {
		return nil
	}
	fd, err := unix.Openat(int(seen.Fd()), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	dir := os.NewFile(uintptr(fd), name)
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(maxDumpFolders) // the error only means that there are fewer
	return names
}
