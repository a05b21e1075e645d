//go:build linux

package procfs

import (
	"bytes"
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/users"
)

// yamaFile has the setting of the Yama security module. Without Yama, any process of the same
// user may be read.
const yamaFile = "/proc/sys/kernel/yama/ptrace_scope"

// Refusal explains why the kernel refused a request, as far as is known, and what to do. asked
// names the call, err is its error.
func (p *Process) Refusal(asked string, err error) error {
	pid, dir := p.PID, p.dir
	status, readErr := dir.read("status")
	if readErr != nil {
		return &task.ExitedError{PID: pid, Err: readErr}
	}
	if tracer := statusNumber(status, "TracerPid:"); tracer != 0 {
		return TracedRefusal(TracedBy(pid, tracer))
	}
	c := newCircumstances(pid, dir, status)
	return &task.PermissionError{
		PID: pid, Asked: fmt.Sprintf("%s: %v%s", asked, err, c.scopeNote()), Remedy: c.remedy(), Err: err,
	}
}

// TracedRefusal says what to do about another tracer.
func TracedRefusal(by *task.TracedError) error {
	return &task.PermissionError{
		PID:    by.PID,
		Asked:  by.Error(),
		Remedy: fmt.Sprintf("detach or end %s first, for a process has one tracer at a time", by.By()),
		Err:    by,
	}
}

// newCircumstances reads what the kernel's decision depends on, as far as everybody may read it.
func newCircumstances(pid int, dir Dir, status []byte) *circumstances {
	c := &circumstances{pid: pid, target: readCredentials(status, label(dir.read("attr/current")))}
	if own, err := os.ReadFile("/proc/self/status"); err == nil {
		c.self = readCredentials(own, label(os.ReadFile("/proc/self/attr/current")))
	}
	scope, _ := os.ReadFile(yamaFile)
	c.scope = string(bytes.TrimSpace(scope))
	c.ownerName, _ = users.Name(uint32(c.target.uids[1]))
	// Everybody may read the uid map of any process; two namespaces may have equal maps.
	theirs, err := dir.read("uid_map")
	ours, ownErr := os.ReadFile("/proc/self/uid_map")
	c.otherNS = err == nil && ownErr == nil && !bytes.Equal(theirs, ours)
	// The files of an undumpable process belong to root (fs/proc/base.c, task_dump_owner).
	var st unix.Stat_t
	c.undumpable = unix.Fstat(dir.fd, &st) == nil && int(st.Uid) != c.target.uids[1]
	return c
}

// label returns the label that a security module gives a process; "" if there is none.
func label(b []byte, err error) string {
	if err != nil {
		return ""
	}
	return string(bytes.TrimRight(b, "\x00\n"))
}

// TracedBy returns an error that names the process of tracer, a thread that traces one of pid's
// threads.
func TracedBy(pid, tracer int) *task.TracedError {
	if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", tracer)); err == nil {
		tracer = statusNumber(status, "Tgid:")
	}
	name := "of unknown name"
	if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", tracer)); err == nil {
		name = string(bytes.TrimSpace(comm))
	}
	return &task.TracedError{PID: pid, Tracer: tracer, Name: name}
}

// circumstances are the facts that decide whether one process may trace another:
// kernel/ptrace.c, __ptrace_may_access, and the security modules that it calls
// (security/commoncap.c, cap_ptrace_access_check; security/yama/yama_lsm.c).
type circumstances struct {
	pid          int
	self, target credentials
	ownerName    string // name of the target's user; empty: it has none here
	otherNS      bool   // the target is known to be in another user namespace
	undumpable   bool   // it is set-uid, or has made itself so: prctl(PR_SET_DUMPABLE)
	scope        string // the value of ptrace_scope; empty without Yama
}

// credentials are those of a process, from its status file.
type credentials struct {
	uids, gids                       [4]int // real, effective, saved, file system
	effective, permitted, boundaries uint64 // capability sets
	noNewPrivs, filtered             bool   // filtered: by seccomp
	label                            string // of AppArmor or SELinux; empty: none
}

const capSysPtrace = 19 // include/uapi/linux/capability.h

func has(set uint64, capability int) bool { return set>>capability&1 != 0 }

func readCredentials(status []byte, label string) credentials {
	c := credentials{label: label}
	for key, ids := range map[string]*[4]int{"Uid:": &c.uids, "Gid:": &c.gids} {
		for i, field := range bytes.Fields(statusValue(status, key)) {
			if i < len(ids) {
				ids[i], _ = strconv.Atoi(string(field)) // the kernel writes only numbers
			}
		}
	}
	for key, set := range map[string]*uint64{"CapEff:": &c.effective, "CapPrm:": &c.permitted, "CapBnd:": &c.boundaries} {
		*set, _ = strconv.ParseUint(string(statusValue(status, key)), 16, 64)
	}
	c.noNewPrivs = string(statusValue(status, "NoNewPrivs:")) == "1"
	c.filtered = string(statusValue(status, "Seccomp:")) == "2"
	return c
}

// owns reports whether all user and group ids of other equal ours.
func (c *credentials) owns(other *credentials) bool {
	for i := range 3 {
		if other.uids[i] != c.uids[3] || other.gids[i] != c.gids[3] {
			return false
		}
	}
	return true
}

// confined reports whether a security module has rules for the process.
func (c *credentials) confined() bool {
	return c.label != "" && c.label != "unconfined" && !strings.Contains(c.label, "unconfined_t:")
}

// scopeNote returns Yama's setting if it restricts tracing.
func (c *circumstances) scopeNote() string {
	if c.scope == "" || c.scope == "0" {
		return ""
	}
	return "; /proc/sys/kernel/yama/ptrace_scope is " + c.scope
}

// remedy returns one sentence in the imperative, with the reason.
func (c *circumstances) remedy() string {
	switch {
	case c.scope == "3":
		return "set kernel.yama.ptrace_scope below 3 at boot, for until the next boot nobody may attach"
	case c.otherNS:
		return fmt.Sprintf("run sudo stacksnap on the host, outside this container, for pid %d is in another user namespace, where our rights do not count", c.pid)
	case has(c.self.effective, capSysPtrace):
		return c.policy()
	}
	return c.lift() + ", for " + c.reason()
}

// policy returns the remedy if we have the capability but are refused nevertheless.
func (c *circumstances) policy() string {
	switch {
	case c.self.filtered:
		return "run without the seccomp filter that this process is under (docker run --security-opt seccomp=unconfined)"
	case c.self.confined():
		return fmt.Sprintf("run without the security label %q that this process has (docker run --security-opt apparmor=unconfined)", c.self.label)
	case c.target.confined():
		return fmt.Sprintf("allow ptrace in the security policy of the label %q that pid %d has", c.target.label, c.pid)
	}
	return "allow ptrace in the security policy (AppArmor, SELinux, or a user namespace that is not ours)"
}

// lift says how to get the missing permission.
func (c *circumstances) lift() string {
	isRoot := c.self.uids[1] == 0
	switch {
	case !has(c.self.boundaries, capSysPtrace):
		return "give this container or service CAP_SYS_PTRACE (docker run --cap-add=SYS_PTRACE)"
	case !isRoot && c.self.noNewPrivs:
		return "run as root (or with CAP_SYS_PTRACE) from outside this service, where sudo works (NoNewPrivs is set here)"
	case isRoot:
		return "run with CAP_SYS_PTRACE, which was taken from this process and may be had again (setpriv, capsh, or CapabilityBoundingSet= of the unit)"
	case c.scope == "1" && c.self.owns(&c.target) && !c.undumpable && len(c.lacking()) == 0:
		return fmt.Sprintf("run sudo stacksnap -p %d, or sudo sysctl kernel.yama.ptrace_scope=0", c.pid)
	}
	return fmt.Sprintf("run sudo stacksnap -p %d", c.pid)
}

// reason returns the kernel's first reason that applies, in the order in which it checks them.
func (c *circumstances) reason() string {
	lacking := c.lacking()
	switch {
	case c.self.uids[3] != c.target.uids[1]:
		return "it belongs to another user (" + c.owner() + ")"
	case !c.self.owns(&c.target):
		return "its user and group ids are not all ours: it is set-uid or set-gid"
	case c.undumpable:
		return "it is protected: set-uid, or marked as not dumpable"
	case len(lacking) > 0:
		return "it has capabilities that we lack: " + strings.Join(lacking, ", ")
	case c.scope == "1":
		return "kernel.yama.ptrace_scope 1 allows only to trace one's own children"
	case c.scope == "2":
		return "kernel.yama.ptrace_scope 2 asks for CAP_SYS_PTRACE"
	case c.self.filtered:
		return "a seccomp filter may refuse it"
	case c.self.confined() || c.target.confined():
		return fmt.Sprintf("a security policy may refuse it (label %q, ours %q)", c.target.label, c.self.label)
	}
	return "it is protected: set-uid, or marked as not dumpable"
}

func (c *circumstances) owner() string {
	id := "uid " + strconv.Itoa(c.target.uids[1])
	if c.ownerName == "" {
		return id
	}
	return c.ownerName + ", " + id
}

// lacking returns the names of the capabilities that the target has and we do not have. To trace
// the target we must have all of them, or CAP_SYS_PTRACE.
func (c *circumstances) lacking() (names []string) {
	for set := c.target.permitted &^ c.self.permitted; set != 0; set &= set - 1 {
		names = append(names, capabilityName(bits.TrailingZeros64(set)))
	}
	const most = 4
	if more := len(names) - most; more > 0 {
		names = append(names[:most:most], fmt.Sprintf("%d more", more))
	}
	return names
}

// capabilityNames are those of include/uapi/linux/capability.h, by number.
var capabilityNames = strings.Fields(`CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE
	NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT
	SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP
	MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE`)

func capabilityName(n int) string {
	if n < len(capabilityNames) {
		return "CAP_" + capabilityNames[n]
	}
	return "capability " + strconv.Itoa(n)
}
