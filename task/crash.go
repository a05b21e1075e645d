package task

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
