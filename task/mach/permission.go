package mach

import "stacksnap/task"

// permissionError says which ports were asked for, what the kernel answered to
// each, and what would help.
func permissionError(k kernel, pid int, read Errno, control Return) *task.PermissionError {
	c := learn(k, pid)
	return &task.PermissionError{PID: pid, Asked: asked(read, control), Remedy: c.remedy(), Err: control}
}

// answer words a refusal; a success without a port is one, too.
func answer(isSuccess bool, err error) string {
	if isSuccess {
		return "no port"
	}
	return err.Error()
}
