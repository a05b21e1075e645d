//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/users"
)

// yamaFile is the setting of the Yama security module; without it any process
// of the same user may be read.
const yamaFile = "/proc/sys/kernel/yama/ptrace_scope"

// refusal says what refused to attach, as far as it can be told, and what to do.
func refusal(pid int, dir procDir, asked string, err error) error {
	status, readErr := dir.read("status")
	if readErr != nil {
		return &task.ExitedError{PID: pid, Err: readErr}
	}
	if tracer := statusNumber(status, "TracerPid:"); tracer != 0 {
		return permission(tracedBy(pid, tracer))
	}
	c := newCircumstances(pid, dir, status)
	return &task.PermissionError{
		PID: pid, Asked: fmt.Sprintf("%s: %v%s", asked, err, c.scopeNote()), Remedy: c.remedy(), Err: err,
	}
}

// permission says what to do about another debugger.
func permission(by *task.TracedError) error {
	return &task.PermissionError{
		PID:    by.PID,
		Asked:  by.Error(),
		Remedy: fmt.Sprintf("detach or end %s first, for a process has one tracer at a time", by.By()),
		Err:    by,
	}
}

// newCircumstances reads what the kernel decides by, as far as it is shown to everybody.
func newCircumstances(pid int, dir procDir, status []byte) *circumstances {
	c := &circumstances{pid: pid, target: readCredentials(status, label(dir.read("attr/current")))}
	if own, err := os.ReadFile("/proc/self/status"); err == nil {
		c.self = readCredentials(own, label(os.ReadFile("/proc/self/attr/current")))
	}
	scope, _ := os.ReadFile(yamaFile)
	c.scope = string(bytes.TrimSpace(scope))
	c.ownerName, _ = users.Name(uint32(c.target.uids[1]))
	// The maps are shown of any process; equal ones may be of two namespaces.
	theirs, err := dir.read("uid_map")
	ours, ownErr := os.ReadFile("/proc/self/uid_map")
	c.otherNS = err == nil && ownErr == nil && !bytes.Equal(theirs, ours)
	// Of what may not be dumped, root owns the files (fs/proc/base.c, task_dump_owner).
	var st unix.Stat_t
	c.undumpable = unix.Fstat(dir.fd, &st) == nil && int(st.Uid) != c.target.uids[1]
	return c
}

// label is what a security module calls a process; empty where none does.
func label(b []byte, err error) string {
	if err != nil {
		return ""
	}
	return string(bytes.TrimRight(b, "\x00\n"))
}
