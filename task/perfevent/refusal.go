package perfevent

import "fmt"

// circumstances decide whether the kernel samples threads for us (perf_event_open(2),
// "perf_event related configuration files" and "Errors").
type circumstances struct {
	root     bool   // by user id
	paranoid int    // the value of perf_event_paranoid; some distributions have 3 and 4
	kind     reason // of the refusal
}

// reason is why sampling was refused.
type reason uint8

const (
	unknownReason reason = iota // such as a kernel without the feature
	notAllowed
	noMemory // no more memory may be locked
	noFiles
)

// remedy returns one sentence in the imperative; "" if there is none.
func (c circumstances) remedy() string {
	switch {
	case c.kind == noMemory:
		return "run as root, or raise kernel.perf_event_mlock_kb"
	case c.kind == noFiles:
		return "raise the limit of open files (ulimit -n)"
	case c.kind == unknownReason:
		return ""
	case c.root:
		return "give this container or service CAP_PERFMON and a seccomp profile that allows perf_event_open (docker run --cap-add=PERFMON)"
	case c.paranoid > userParanoid:
		return fmt.Sprintf("run as root, or run sysctl kernel.perf_event_paranoid=%d", userParanoid)
	}
	return "run as root (or with CAP_PERFMON)"
}

// The highest values of perf_event_paranoid with which a user may sample own
// processes in user code, and everywhere.
const (
	userParanoid   = 2
	kernelParanoid = 1
)

// partly says what samples of user code alone lack.
func (c circumstances) partly() string {
	return fmt.Sprintf("threads are not seen while they run in the kernel (perf_event_paranoid is %d): run as root, or run sysctl kernel.perf_event_paranoid=%d", c.paranoid, kernelParanoid)
}
