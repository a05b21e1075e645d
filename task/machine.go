package task

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

// Command is a command line: the arguments that a program was given, of which
// the first is its own name. None are known where Args is empty.
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
