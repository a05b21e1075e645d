package mach

import (
	"fmt"

	"stacksnap/task"
)

// permissionError says which ports were requested, the kernel's error for each, and what would
// help.
func permissionError(k kernel, pid int, read Errno, control Return) *task.PermissionError {
	c := learn(k, pid)
	return &task.PermissionError{PID: pid, Asked: asked(read, control), Remedy: c.remedy(), Err: control}
}

// answer returns the text of a refusal; a success without a port is a refusal, too.
func answer(isSuccess bool, err error) string {
	if isSuccess {
		return "no port"
	}
	return err.Error()
}

// Flags of a code signature (osfmk/kern/cs_blobs.h).
const (
	codeGetTaskAllow = 0x4       // CS_GET_TASK_ALLOW
	codeRestrict     = 0x800     // CS_RESTRICT
	codeRuntime      = 0x10000   // CS_RUNTIME: hardened
	codePlatform     = 0x4000000 // CS_PLATFORM_BINARY
)

// allowsTaskForPID is CSR_ALLOW_TASK_FOR_PID (bsd/sys/csr.h) of System Integrity
// Protection's settings.
const allowsTaskForPID = 0x4

// flagSetID is P_SUGID of p_flag (bsd/sys/proc.h): the process has changed its user
// or group.
const flagSetID = 0x100

// circumstances decide whether a process may have another's task port. XNU admits root, and the
// owner of a process that has not changed its identity (bsd/kern/kern_proc.c,
// task_for_pid_posix_check). Then its security policy (AppleMobileFileIntegrity) decides. It
// refuses even root what System Integrity Protection guards. Everybody else also needs
// taskgated's consent, which requires that our signature has the debugger entitlement and that
// the user agrees.
type circumstances struct {
	root      bool
	sandboxed bool // we are sandboxed
	foreign   bool // the target is another user's
	setID     bool // the target has changed its user or group
	guarded   bool // System Integrity Protection guards the target
	hardened  bool // the target has the hardened runtime and does not allow debuggers
	entitled  bool // we have the debugger entitlement
	known     bool // the target's signature could be read
	undevout  bool // Developer Mode is off
}

// remedy returns one line in the imperative.
func (c *circumstances) remedy() string {
	switch {
	case c.sandboxed:
		return "run stacksnap outside of its sandbox, from Terminal say: a sandboxed program gets no other's task"
	case c.guarded && !c.root:
		return "run stacksnap with sudo, which shows it once, or with -d for a while, by the kernel's stackshot, as Apple's own sudo spindump does: System Integrity Protection guards its task from all other programs"
	case c.guarded:
		return "choose another process, or use Apple's own sudo spindump or sample: System Integrity Protection guards this one from all other programs, run by root too"
	case c.root && c.hardened:
		return "sign the target with com.apple.security.get-task-allow, or use -p without --hang and --every, which shows it by the kernel's stackshot: its signature is hardened and does not allow debuggers, root's neither"
	case c.root:
		return "look for AMFI and taskgated in log show --last 1m, where the system's security policy says why it refuses root what System Integrity Protection does not guard"
	case c.foreign:
		return "run stacksnap with sudo: the process belongs to another user"
	case c.setID:
		return "run stacksnap with sudo: the process has changed its user or group since it began (set-uid), so that only root may read it"
	case c.undevout:
		return "run stacksnap with sudo, or enable Developer Mode, which is off: sudo DevToolsSecurity -enable"
	case c.hardened:
		return "run stacksnap with sudo, or sign the target with com.apple.security.get-task-allow: its signature is hardened and does not have that"
	case !c.entitled:
		return "run stacksnap with sudo, or sign it by scripts/sign.sh, which gives it the com.apple.security.cs.debugger entitlement" + c.besides()
	}
	return "run stacksnap with sudo, or consent when taskgated asks; it does not ask members of the _developer group after sudo DevToolsSecurity -enable, and asks nobody in a session without a screen" + c.besides()
}

// besides says what is needed for a target whose signature is not known.
func (c *circumstances) besides() string {
	if c.known {
		return ""
	}
	return "; a hardened target needs com.apple.security.get-task-allow besides"
}

// learn finds out the circumstances. For what the system does not report, it assumes the usual
// value.
func learn(k kernel, pid int) circumstances {
	_, euid := k.self()
	b, e := k.bsdInfo(pid)
	c := circumstances{
		root:      euid == 0,
		sandboxed: k.sandboxed(),
		foreign:   e == notPermitted || e == ok && b.uid != euid,
		entitled:  k.entitled(debuggerEntitlement),
	}
	if flags, e := k.flags(pid); e == ok {
		c.setID = flags&flagSetID != 0
	}
	if code, e := k.codeFlags(pid); e == ok {
		c.known = true
		c.guarded = code&(codePlatform|codeRestrict) != 0 && code&codeGetTaskAllow == 0 && isProtecting(k)
		c.hardened = code&codeRuntime != 0 && code&codeGetTaskAllow == 0
	}
	if on, e := k.number("security.mac.amfi.developer_mode_status"); e == ok {
		c.undevout = on == 0
	}
	return c
}

const debuggerEntitlement = "com.apple.security.cs.debugger"

// isProtecting reports whether System Integrity Protection guards tasks, which it does unless it
// was switched off.
func isProtecting(k kernel) bool {
	config, e := k.protection()
	return e != ok || config&allowsTaskForPID == 0
}

// asked describes the two requests and their results.
func asked(read Errno, control Return) string {
	return fmt.Sprintf("task_read_for_pid: %s; task_for_pid: %s", answer(read == ok, read), answer(control == success, control))
}
