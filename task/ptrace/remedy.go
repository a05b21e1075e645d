package ptrace

import "fmt"

// circumstances are what decides whether one process may trace another:
// ptrace(2), "Ptrace access mode checking".
type circumstances struct {
	owner, self int    // user ids
	capable     bool   // we have CAP_SYS_PTRACE
	scope       string // the value of ptrace_scope; empty without Yama
}

// scopeNote names Yama's setting where it restricts.
func (c circumstances) scopeNote() string {
	if c.scope == "" || c.scope == "0" {
		return ""
	}
	return "; /proc/sys/kernel/yama/ptrace_scope is " + c.scope
}

// remedy is one sentence in the imperative.
func (c circumstances) remedy() string {
	switch {
	case c.scope == "3":
		return "set kernel.yama.ptrace_scope below 3 at boot, for until the next boot nobody may attach"
	case c.capable:
		return "allow ptrace in the security policy (a seccomp filter, AppArmor, SELinux, or a user namespace that is not ours)"
	case c.self == 0:
		return "give this container or service CAP_SYS_PTRACE (docker run --cap-add=SYS_PTRACE)"
	case c.owner != c.self:
		return fmt.Sprintf("run as root (or with CAP_SYS_PTRACE), for it belongs to another user (uid %d)", c.owner)
	case c.scope == "1":
		return "run as root (or with CAP_SYS_PTRACE), or run sysctl kernel.yama.ptrace_scope=0"
	case c.scope == "2":
		return "run as root (or with CAP_SYS_PTRACE), which ptrace_scope 2 asks for"
	}
	return "run as root (or with CAP_SYS_PTRACE), for the process is protected: set-uid, or marked as not dumpable"
}
