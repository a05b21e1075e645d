package task

import "time"

// Machine is the computer that a target runs on. Unknown facts are zero.
type Machine struct {
	Model string // the maker's name for it: "MacBookPro18,3"
	CPU   string // its processor: "Apple M1 Pro"
	// CPUs is the number of logical processors, Active of those that are in use.
	CPUs, Active int
	Memory       uint64 // in bytes
}

// Footprint is how much memory a process uses, in bytes; 0 is unknown. On Darwin it is the
// physical footprint, which includes compressed and swapped memory; on Linux it is the resident
// set.
type Footprint struct {
	Now  uint64 // when the process was opened
	Peak uint64 // the most until then
}

// The bounds of a command line that is kept.
const (
	MaxArguments    = 4096
	MaxCommandBytes = 64 << 10
)

// Command is a command line: the arguments that a program was given. The first is its own name.
// If Args is empty, they are not known.
type Command struct {
	Args []string
	Cut  bool // there are more arguments
}

// NewCommand returns a command with the arguments that are within the bounds.
func NewCommand(args []string) Command {
	size := 0
	for i, a := range args {
		if size += len(a); size > MaxCommandBytes || i == MaxArguments {
			return Command{Args: args[:i:i], Cut: true}
		}
	}
	return Command{Args: args}
}

// User is the effective user of a process, whose rights it has.
type User struct {
	ID   uint32
	Name string // on the system that read it; empty if it has none there, or if another system gave the number
}

// Tracer is a process, such as a debugger, that held a target stopped when the target was
// opened.
type Tracer struct {
	PID  int
	Name string // empty: not known
}

// Group is the container or service to which a manager has assigned a process.
type Group struct {
	Manager string // "docker", "podman", "kubernetes", "containerd", "cri-o", "lxc"; "systemd" for a unit
	ID      string // of the container, or the unit's name
	Pod     string // UID of the Kubernetes pod; empty for other managers
}

// Candidate is a running process that a name may refer to.
type Candidate struct {
	PID  int
	Name string // as the system lists it
	Path string // of its executable; empty when the system does not report it

	ParentPID int // 0 when the system does not report it
	// Forked means that the process has not called exec since it was forked: its name and path
	// are still its parent's, and may be about to change.
	Forked bool
}

// Details are further facts, beside those of [Candidate], by which a person distinguishes
// processes of the same name.
type Details struct {
	User    int           // its real user id; −1 is unknown
	CPU     time.Duration // CPU time used; −1 is unknown
	Start   time.Time     // zero is unknown
	Stuck   bool          // its first thread is in an uninterruptible wait, usually for a disk
	Command Command
}

// Crash is what ended a process that was saved when it crashed.
type Crash struct {
	Signal string   // "SIGSEGV"
	Detail string   // more about it: "address 0x10 not mapped"; may be empty
	Thread ThreadID // the thread that it hit; 0 when not known
}

// String returns the signal and the detail in one line.
func (c *Crash) String() string {
	if c.Detail == "" {
		return c.Signal
	}
	return c.Signal + " (" + c.Detail + ")"
}
