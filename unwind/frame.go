// Package unwind walks a captured thread's stack, from where it stands out to
// where it began.
package unwind

import "stacksnap/task"

// Method is how a frame was found: what led from the frame it called to it.
type Method uint8

// The methods, in the order of trust.
const (
	ByRegisters    Method = iota // the first frame: the thread's own pc
	ByAnalysis                   // the instructions around the pc
	ByCompact                    // Mach-O compact unwind
	ByCFI                        // DWARF call frame information
	ByExIdx                      // the exception tables of 32-bit ARM
	ByLinkRegister               // a function that had not yet saved its link register
	ByFramePointer               // the frame-pointer chain alone
	ByScan                       // a word on the stack that looked like a return address
	ByReport                     // another program's report has it, and does not tell how it was found
)

var methodNames = [...]string{"registers", "analysis", "compact", "cfi", "exidx", "link register", "frame pointer", "scan", "report"}

// String returns the method's name in lower case.
func (m Method) String() string {
	if int(m) >= len(methodNames) {
		return "unknown"
	}
	return methodNames[m]
}

// Guess reports whether a frame found so may not exist at all.
func (m Method) Guess() bool { return m == ByScan }

// Frame is one activation of a function.
type Frame struct {
	PC     task.Addr // an instruction, or with Return the instruction after a call
	SP     task.Addr // the stack pointer in this frame; 0 when not known
	Return bool      // PC is a return address: look up PC − 1
	// Trampoline: no function of the program, but what the kernel lets a signal
	// handler return to (Linux; it is not in a call), or has call it (Darwin). The
	// frame that it leads to was interrupted.
	Trampoline bool
	Kernel     bool // of the system's kernel, not of the program
	By         Method
	Err        error // why a better method than By was left, nil when none was
}

// Reason is why a walk ended.
type Reason uint8

// The reasons. Only Bottom is the true end of a stack; after every other there
// may be callers that are not shown.
const (
	Bottom      Reason = iota // the outermost frame: no caller exists
	NoRegisters               // the thread's registers could not be captured
	NotCaptured               // the stack goes on beyond what was copied: see Need
	NoCaller                  // nothing told where the caller is
	BadPointer                // a frame pointer or return address that cannot be one
	Loop                      // a frame that does not lie above the one it called
	TooDeep                   // MaxFrames reached
	Unsteady                  // the code there was being loaded or unloaded: it is not known what it was
)

var reasonNames = [...]string{
	"bottom of the stack", "registers not readable", "stack not captured further",
	"no caller found", "bad pointer", "loop", "too many frames",
	"the code was being loaded or unloaded",
}

// String returns the reason in words.
func (r Reason) String() string {
	if int(r) >= len(reasonNames) {
		return "unknown"
	}
	return reasonNames[r]
}

// MaxFrames is the most frames that a walk gives.
const MaxFrames = 10_000

// Stop is how a walk ended.
type Stop struct {
	Reason Reason
	Need   task.Addr // with NotCaptured: the first address that was missed
	Err    error     // more about it; may be nil
}
