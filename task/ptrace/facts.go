//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/users"
)

// argumentPatience bounds the wait for a command line. It is memory of the
// target's, which may be of a kind that never answers (userfaultfd, FUSE).
const argumentPatience = 50 * time.Millisecond

// command reads the command line, which is empty for a process that has none or
// does not give it in time.
func (d procDir) command() task.Command {
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
	late := time.NewTimer(argumentPatience)
	defer late.Stop()
	select {
	case b := <-read:
		return parseCommand(b)
	case <-late.C: // whoever reads is left waiting
		return task.Command{}
	}
}

// footprint is VmRSS and VmHWM of /proc/PID/status.
func footprint(status []byte) task.Footprint {
	const kilo = 1 << 10
	return task.Footprint{
		Now:  uint64(statusNumber(status, "VmRSS:")) * kilo,
		Peak: uint64(statusNumber(status, "VmHWM:")) * kilo,
	}
}

// nobody is the number that no user has ((uid_t)-1).
const nobody = ^uint32(0)

// effectiveUser is the second of the user ids in /proc/PID/status; nobody where it is
// not told.
func effectiveUser(status []byte) uint32 {
	words := bytes.Fields(statusValue(status, "Uid:"))
	if len(words) < 2 {
		return nobody
	}
	n, err := strconv.ParseUint(string(words[1]), 10, 32)
	if err != nil {
		return nobody
	}
	return uint32(n)
}

// overflowUser stands for every user that our user namespace has no number for
// (/proc/sys/kernel/overflowuid).
const overflowUser = 65534

// user is by whose rights the process runs. Its name is asked for only where the
// process sees the files that we see, and so has the number from the same list.
func (d procDir) user(status []byte) *task.User {
	id := effectiveUser(status)
	if id == nobody || id == overflowUser && !d.shares("ns/user") {
		return nil
	}
	u := &task.User{ID: id}
	if d.shares("ns/mnt") {
		u.Name, _ = users.Name(u.ID)
	}
	return u
}

// shares tells whether a namespace is ours, too.
func (d procDir) shares(namespace string) bool {
	theirs, err := d.readlink(namespace)
	if err != nil {
		return false
	}
	ours, err := os.Readlink("/proc/self/" + namespace)
	return err == nil && ours == theirs
}

// Where the maker's name of this computer and the processors in use are told.
var modelFiles = [...]string{"/sys/devices/virtual/dmi/id/product_name", "/proc/device-tree/model"}

const (
	onlineFile  = "/sys/devices/system/cpu/online"
	presentFile = "/sys/devices/system/cpu/present"
)

// machine asks the system about itself.
func machine() task.Machine {
	var m task.Machine
	for _, file := range modelFiles {
		if b, err := os.ReadFile(file); err == nil && m.Model == "" {
			m.Model = strings.Trim(string(b), "\x00 \n")
		}
	}
	if b, err := os.ReadFile(presentFile); err == nil {
		m.CPUs = cpusListed(string(b))
	}
	if b, err := os.ReadFile(onlineFile); err == nil {
		m.Active = cpusListed(string(b))
	}
	var s unix.Sysinfo_t
	if unix.Sysinfo(&s) == nil {
		m.Memory = uint64(s.Totalram) * uint64(s.Unit)
	}
	return m
}
