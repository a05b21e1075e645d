//go:build linux

package procfs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/files"
	"stacksnap/task/procfs/cgroup"
)

// learn collects what is known of the process as a whole. Facts that cannot be read stay empty.
func (p *Process) learn() task.Info {
	info := task.Info{
		PID: p.PID, OS: task.Linux, Live: true,
		Path: p.live.exe(), Arch: p.arch(), OSVersion: p.osVersion(),
		PageSize: os.Getpagesize(),
	}
	s, ok := p.dir.stat()
	if !ok {
		return info
	}
	info.Command, info.Machine = p.dir.command(), machine()
	if status, err := p.live.read("status"); err == nil {
		info.Footprint, info.User = footprint(status), p.live.user(status)
		info.Tracer = holder(&s, status)
	}
	info.Folder, _ = p.live.readlink("cwd")
	if b, err := p.live.read("cgroup"); err == nil {
		info.Group = cgroup.Of(b)
	}
	info.Name = fullName(string(s.name), p.dir)
	info.ParentPID = s.parent
	info.Start = startTime(s.start)
	info.ParentName = processName(s.parent)
	return info
}

// processName returns the name of another process, empty where it is not known.
func processName(pid int) string {
	dir, err := OpenDir(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return ""
	}
	defer dir.Close()
	s, ok := dir.stat()
	if !ok {
		return ""
	}
	return fullName(string(s.name), dir)
}

// tracingStop is the state letter of a thread that its tracer has stopped (proc_pid_stat(5)).
const tracingStop = 't'

// holder returns the tracer of a process if it holds the process's first thread stopped.
func holder(s *Stat, status []byte) *task.Tracer {
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
	dir, err := OpenDir(fmt.Sprintf("/proc/%d", tid))
	if err != nil {
		return 0
	}
	defer dir.Close()
	status, err := dir.read("status")
	if err != nil {
		return 0
	}
	return statusNumber(status, "Tgid:")
}

// arch returns the architecture in the program's own header. The kernel's view of a thread is in
// its registers.
func (p *Process) arch() task.Arch {
	exe, err := p.live.readlink("exe")
	if err != nil {
		return HostArch()
	}
	if exe, _ = cutDeleted(exe); p.root().Refusal(p.folder+"/exe", exe, p.deviceOf(exe)) != nil {
		return HostArch()
	}
	fd, err := p.live.open("exe")
	if err != nil {
		return HostArch()
	}
	defer closeFD(fd)
	var header [elfHeaderSize]byte
	n, _ := unix.Pread(fd, header[:], 0)
	if a := archOf(header[:max(n, 0)]); a != task.UnknownArch {
		return a
	}
	return HostArch()
}

// maxComm is the maximum length of a name in the kernel (TASK_COMM_LEN − 1).
const maxComm = 15

// fullName returns the name of a process. If the kernel has cut it, the full name is taken from
// the command line.
func fullName(comm string, dir Dir) string {
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

// bootTime returns when the system was started, by the present clock; zero when that is not
// known. (The btime of /proc/stat is truncated to seconds.)
func bootTime() time.Time {
	var since unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &since); err != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(since.Nano()))
}

// osVersion returns the kernel and the distribution that the target sees, such as "Linux
// 6.1.0-13-amd64 (Debian GNU/Linux 12)".
func (p *Process) osVersion() string {
	var u unix.Utsname
	_ = unix.Uname(&u)
	version := "Linux " + unix.ByteSliceToString(u.Release[:])
	if name := p.distribution(); name != "" {
		version += " (" + name + ")"
	}
	return version
}

// distribution reads os-release below the target's root. No link there can lead out of the root.
func (p *Process) distribution() string {
	root := p.root()
	for _, name := range []string{"/etc/os-release", "/usr/lib/os-release"} {
		if b, err := readInRoot(root, name); err == nil {
			return prettyName(b)
		}
	}
	return ""
}

// maxOSRelease bounds how much of a file of the target is read.
const maxOSRelease = 64 << 10

// readInRoot reads a regular file below a root.
func readInRoot(root *files.Root, name string) ([]byte, error) {
	f, _, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return io.ReadAll(io.LimitReader(f, maxOSRelease))
}

// prettyName returns PRETTY_NAME of an os-release file, whose values are quoted
// as a shell does (os-release(5)); empty when it has none.
func prettyName(file []byte) string {
	for line := range bytes.Lines(file) {
		v, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "PRETTY_NAME=")
		if !ok {
			continue
		}
		if s, err := strconv.Unquote(v); err == nil {
			return s
		}
		return strings.Trim(v, `'"`)
	}
	return ""
}

// elfHeaderSize is how much of an ELF file archOf needs.
const elfHeaderSize = 20

// archOf returns the architecture that an ELF file's header names: e_ident's
// class and byte order, e_machine (gABI, "ELF Header").
func archOf(header []byte) task.Arch {
	if len(header) < elfHeaderSize || string(header[:4]) != "\x7fELF" || header[5] != 1 {
		return task.UnknownArch
	}
	is64 := header[4] == 2
	if a := task.ArchOfELF(binary.LittleEndian.Uint16(header[18:])); is64 || a.PointerSize() == 4 {
		return a
	}
	return task.UnknownArch // x32 and ilp32 are not supported
}

// argumentTimeout bounds the wait for a command line. It lies in the target's memory, which may
// be of a kind that never becomes readable (userfaultfd, FUSE).
const argumentTimeout = 50 * time.Millisecond

// command reads the command line. It is empty if the process has none, or if it cannot be read
// in time.
func (d Dir) command() task.Command {
	fd, err := d.open("cmdline")
	if err != nil {
		return task.Command{}
	}
	read := make(chan []byte, 1)
	go func() {
		f := os.NewFile(uintptr(fd), "cmdline")
		defer func() { _ = f.Close() }()
		const most = task.MaxCommandBytes + task.MaxArguments + 1 // one more than is kept
		b, _ := io.ReadAll(io.LimitReader(f, most))
		read <- b
	}()
	late := time.NewTimer(argumentTimeout)
	defer late.Stop()
	select {
	case b := <-read:
		return parseCommand(b)
	case <-late.C: // the reading goroutine is left to wait
		return task.Command{}
	}
}

// parseCommand splits arguments that each end with NUL. A program that has overwritten its
// arguments with another line has often filled the rest with NULs.
func parseCommand(b []byte) task.Command {
	b = bytes.TrimRight(b, "\x00")
	if len(b) == 0 {
		return task.Command{}
	}
	return task.NewCommand(strings.Split(string(b), "\x00"))
}
