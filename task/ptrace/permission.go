//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"stacksnap/task"
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
	scope, _ := os.ReadFile(yamaFile)
	c := circumstances{
		owner: statusNumber(status, "Uid:"), self: os.Geteuid(),
		capable: capable(), scope: string(bytes.TrimSpace(scope)),
	}
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

// capable tells whether we have CAP_SYS_PTRACE.
func capable() bool {
	var hdr unix.CapUserHeader
	var data [2]unix.CapUserData
	hdr.Version = unix.LINUX_CAPABILITY_VERSION_3
	if unix.Capget(&hdr, &data[0]) != nil {
		return false
	}
	return data[0].Effective&(1<<unix.CAP_SYS_PTRACE) != 0
}
