package task

import "time"

// Machine is the computer that a target runs on. Unknown facts are zero.
type Machine struct {
	Model string // of the maker: "MacBookPro18,3"
	CPU   string // its processor: "Apple M1 Pro"
	// CPUs are the logical processors, Active those of them that are in use.
	CPUs, Active int
	Memory       uint64 // in bytes
}

// Footprint is the memory that a process takes, in bytes; 0 is unknown. On
// Darwin it is the physical footprint, which counts compressed and swapped
// memory, on Linux what of it is resident.
type Footprint struct {
	Now  uint64 // when the process was opened
	Peak uint64 // the most until then
}

// The bounds of what is kept of a command line.
const (
	MaxArguments    = 4096
	MaxCommandBytes = 64 << 10
)

// Command is a command line: the arguments that a program was given. The
// first is its own name. None are known where Args is empty.
type Command struct {
	Args []string
	Cut  bool // there are more
}

// NewCommand keeps of the arguments what is within the bounds.
func NewCommand(args []string) Command {
	size := 0
	for i, a := range args {
		if size += len(a); size > MaxCommandBytes || i == MaxArguments {
			return Command{Args: args[:i:i], Cut: true}
		}
	}
	return Command{Args: args}
}

// User is by whose rights a process runs: the effective user.
type User struct {
	ID   uint32
	Name string // on the system that read it; empty where that has none, or another system gave the number
}

// Tracer is a process that held a target stopped as it was opened, such as a
// debugger.
type Tracer struct {
	PID  int
	Name string // empty: not known
}

// Group is what a manager of containers or services has put a process into.
type Group struct {
	Manager string // "docker", "podman", "kubernetes", "containerd", "cri-o", "lxc"; "systemd" of a unit
	ID      string // of the container, or the unit's name
	Pod     string // of Kubernetes, its UID; empty for others
}

// Candidate is a running process that may be meant by a name.
type Candidate struct {
	PID  int
	Name string // as the system lists it
	Path string // of its executable; empty when the system does not tell

	ParentPID int // 0 when the system does not tell
	// Forked: it has not called exec, so that name and path are those of the
	// process it was forked from, and perhaps about to change.
	Forked bool
}

// Details are what a person tells processes of one name apart by, beside
// [Candidate].
type Details struct {
	User    int           // its real user id; −1 is unknown
	CPU     time.Duration // that it has used; −1 is unknown
	Start   time.Time     // zero is unknown
	Stuck   bool          // its first thread waits in a way that no signal ends, for a disk mostly
	Command Command
}

// Crash is what ended a process that was saved then.
type Crash struct {
	Signal string   // "SIGSEGV"
	Detail string   // more about it: "address 0x10 not mapped"; may be empty
	Thread ThreadID // that it hit; 0 when that is not known
}

// String returns the signal and the detail in one line.
func (c *Crash) String() string {
	if c.Detail == "" {
		return c.Signal
	}
	return c.Signal + " (" + c.Detail + ")"
}
