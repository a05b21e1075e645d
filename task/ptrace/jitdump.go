//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"fmt"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// OpenJITDump implements [task.PerfMapper]: jit-PID.dump, by the same rules as a perf
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
