package mach

import (
	"fmt"
	"strings"

	"stacksnap/task"
)

// permissionError says which ports were asked for, what the kernel answered to
// each, and what would help.
func permissionError(k kernel, pid int, read Errno, control Return) *task.PermissionError {
	asked := fmt.Sprintf("task_read_for_pid: %s; task_for_pid: %s", answer(read == ok, read), answer(control == success, control))
	return &task.PermissionError{PID: pid, Asked: asked, Remedy: remedy(k, pid), Err: control}
}

// answer words a refusal; a success without a port is one, too.
func answer(isSuccess bool, err error) string {
	if isSuccess {
		return "no port"
	}
	return err.Error()
}

// remedy chooses what helps from who we are and whose the target is. XNU lets
// root through, or the owner of a process that has not changed its identity
// (bsd/kern/kern_proc.c, task_for_pid_posix_check); then its security policy
// wants our signature to have com.apple.security.cs.debugger, or the target's
// com.apple.security.get-task-allow, and protects the system's own processes
// even from root.
func remedy(k kernel, pid int) string {
	_, euid := k.self()
	b, e := k.bsdInfo(pid)
	var steps []string
	switch {
	case euid == 0:
		steps = append(steps, "root is refused where System Integrity Protection guards the target, or where its hardened signature lacks com.apple.security.get-task-allow: sign the target with that entitlement, or choose one that is not part of the system")
	case e == notPermitted || e == ok && b.uid != euid:
		steps = append(steps, "the process belongs to another user: run stacksnap with sudo")
	default:
		steps = append(steps, "run stacksnap with sudo, or sign it by scripts/sign.sh, which gives it the com.apple.security.cs.debugger entitlement; a hardened target needs com.apple.security.get-task-allow besides")
	}
	if on, e := k.number("security.mac.amfi.developer_mode_status"); e == ok && on == 0 {
		steps = append(steps, "Developer Mode is off: enable it with sudo DevToolsSecurity -enable")
	}
	return strings.Join(steps, ". ")
}
