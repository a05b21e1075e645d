//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/files"
)

// learn gathers what is known of the process as a whole. What cannot be had is
// left empty.
func (p *Process) learn() task.Info {
	info := task.Info{
		PID: p.pid, OS: task.Linux, Live: true,
		Path: p.live.exe(), Arch: p.arch(), OSVersion: p.osVersion(),
		PageSize: os.Getpagesize(), CodeMask: firstCodeMask,
	}
	s, ok := p.process.stat()
	if !ok {
		return info
	}
	info.Command, info.Machine = p.process.command(), machine()
	if status, err := p.live.read("status"); err == nil {
		info.Footprint, info.User = footprint(status), p.live.user(status)
		info.Tracer = holder(&s, status)
	}
	info.Folder, _ = p.live.readlink("cwd")
	if b, err := p.live.read("cgroup"); err == nil {
		info.Group = controlGroup(b)
	}
	info.Name = fullName(string(s.name), p.process)
	info.ParentPID = s.parent
	info.Start = startTime(s.start)
	info.ParentName = processName(s.parent)
	return info
}

// processName returns the name of another process, empty where it is not known.
func processName(pid int) string {
	dir, err := openProc(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return ""
	}
	defer dir.close()
	s, ok := dir.stat()
	if !ok {
		return ""
	}
	return fullName(string(s.name), dir)
}

// tracingStop is the letter of a thread that stands for its tracer (proc_pid_stat(5)).
const tracingStop = 't'

// holder is who traces a process, and holds its first thread stopped.
func holder(s *stat, status []byte) *task.Tracer {
	tracer := statusNumber(status, "TracerPid:")
	if s.state != tracingStop || tracer == 0 || tracer == os.Getpid() {
		return nil
	}
	if pid := processOf(tracer); pid != 0 {
		tracer = pid
	}
	return &task.Tracer{PID: tracer, Name: processName(tracer)}
}

// processOf returns the process of a thread, 0 where it is not known.
func processOf(tid int) int {
	dir, err := openProc(fmt.Sprintf("/proc/%d", tid))
	if err != nil {
		return 0
	}
	defer dir.close()
	status, err := dir.read("status")
	if err != nil {
		return 0
	}
	return statusNumber(status, "Tgid:")
}

// arch reads the program's own header; the kernel's word on a thread is in its
// registers.
func (p *Process) arch() task.Arch {
	exe, err := p.live.readlink("exe")
	if err != nil {
		return hostArch
	}
	if exe, _ = cutDeleted(exe); p.root().Refusal(p.folder+"/exe", exe, p.deviceOf(exe)) != nil {
		return hostArch
	}
	fd, err := p.live.open("exe")
	if err != nil {
		return hostArch
	}
	defer closeFD(fd)
	var header [elfHeaderSize]byte
	n, _ := unix.Pread(fd, header[:], 0)
	if a := archOf(header[:max(n, 0)]); a != task.UnknownArch {
		return a
	}
	return hostArch
}

// maxComm is how long the kernel keeps a name (TASK_COMM_LEN − 1).
const maxComm = 15

// fullName returns the name of a process, where the kernel has cut it the whole
// of it from the command line.
func fullName(comm string, dir procDir) string {
	if len(comm) < maxComm {
		return comm
	}
	if args := dir.command().Args; len(args) > 0 {
		if base := path.Base(args[0]); strings.HasPrefix(base, comm) {
			return base
		}
	}
	if base := path.Base(dir.exe()); strings.HasPrefix(base, comm) {
		return base
	}
	return comm
}

// bootTime returns when the system was started, by today's clock; zero when that
// is not known. (The btime of /proc/stat is cut to whole seconds.)
func bootTime() time.Time {
	var since unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &since); err != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(since.Nano()))
}

// osVersion is such as "Linux 6.1.0-13-amd64 (Debian GNU/Linux 12)": the kernel,
// and the distribution that the target sees.
func (p *Process) osVersion() string {
	var u unix.Utsname
	_ = unix.Uname(&u)
	version := "Linux " + unix.ByteSliceToString(u.Release[:])
	if name := p.distribution(); name != "" {
		version += " (" + name + ")"
	}
	return version
}

// distribution reads os-release below the target's root, from which no link
// there leads out.
func (p *Process) distribution() string {
	root := p.root()
	for _, name := range []string{"/etc/os-release", "/usr/lib/os-release"} {
		if b, err := readInRoot(root, name); err == nil {
			return prettyName(b)
		}
	}
	return ""
}

// maxOSRelease bounds what is read of a file of the target's.
const maxOSRelease = 64 << 10

// readInRoot reads a regular file.
func readInRoot(root *files.Root, name string) ([]byte, error) {
	f, _, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(f, maxOSRelease))
}
