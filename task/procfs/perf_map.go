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

// Why a perf map or a jitdump is not believed.
var (
	errNotRegular = errors.New("not a regular file with one name")
	errOthers     = errors.New("it is another user's, or others may write to it")
	errOlder      = errors.New("it was written before the process began, by another of that number")
	errRemote     = errors.New("it is on a file system that may not answer")
)

// OpenPerfMap implements [task.MapReader]: /tmp/perf-PID.map, below the target's
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
		pid = p.PID
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

// believe says why a file is not to be believed: only the target's user and root
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

// isLocal reports whether a file system answers without asking another process or
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

// OpenJITDump implements [task.MapReader]: jit-PID.dump, by the same rules as a perf
// map. What is mapped is asked first; a compiler may have it mapped no more, or never.
func (p *Process) OpenJITDump(mapped []string) (*os.File, string, error) {
	pid, user, err := p.within()
	if err != nil {
		return nil, "", err
	}
	name := fmt.Sprintf("jit-%d.dump", pid)
	err = fmt.Errorf("%s: %w", name, unix.ENOENT)
	for _, file := range append(mapped[:len(mapped):len(mapped)], "/tmp/"+name) {
		if path.Base(file) != name || !path.IsAbs(file) {
			continue // of a process that this one is a copy of, perhaps
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

// maxDumpFolders bounds the folders in which a dump is looked for: there is a new one
// for each process.
const maxDumpFolders = 1 << 10

// dumpsAtHome are the paths that a dump has in the folders of the target's home where
// perf's agent for Java and LLVM make them (debug_cache_init,
// tools/perf/jvmti/jvmti_agent.c; PerfJITEventListener).
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

// homeOf is the folder in which a target with this environment makes dumps.
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

// localFolder lists a folder below the target's root, unless that is on a file system
// that may not answer.
func (p *Process) localFolder(name string) []string {
	seen, err := p.root().Look(name, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = seen.Close() }() // it was only looked at
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
	names, _ := dir.Readdirnames(maxDumpFolders) // the error is that there are fewer
	return names
}
