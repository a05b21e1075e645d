// Package unwind walks a captured thread's stack, from the innermost frame to the
// outermost.
package unwind

import "stacksnap/task"

// Method is how a frame was found.
type Method uint8

// The methods, the most trusted first.
const (
	ByRegisters    Method = iota // the first frame: the thread's own pc
	ByAnalysis                   // the instructions around the pc
	ByCompact                    // Mach-O compact unwind
	ByCFI                        // DWARF call frame information
	ByExIdx                      // the exception tables of 32-bit ARM
	ByLinkRegister               // a function that had not yet saved its link register
	ByFramePointer               // the frame-pointer chain alone
	ByScan                       // a word on the stack that looked like a return address
	ByReport                     // copied from another program's report, which does not say how it was found
)

var methodNames = [...]string{"registers", "analysis", "compact", "cfi", "exidx", "link register", "frame pointer", "scan", "report"}

// String returns the method's name in lower case.
func (m Method) String() string {
	if int(m) >= len(methodNames) {
		return "unknown"
	}
	return methodNames[m]
}

// Guess reports whether a frame found by this method may not exist at all.
func (m Method) Guess() bool { return m == ByScan }

// Frame is one activation of a function.
type Frame struct {
	PC     task.Addr // the next instruction to run; with Return, the one after a call
	SP     task.Addr // the stack pointer in this frame; 0 when not known
	Return bool      // PC is a return address: look up PC − 1
	// Trampoline: the frame is not a function of the program but the kernel's signal
	// trampoline: code that a handler returns to (Linux) or is called by (Darwin).
	// The caller of this frame was interrupted.
	Trampoline bool
	Kernel     bool // in the kernel, not in the program
	By         Method
	Err        error // why a better method than By failed; nil when none did
	// Managed is the interpreted function, nil if the frame is native. PC and SP of
	// an interpreted function are those of the interpreter's loop that runs it.
	Managed *task.ManagedFrame
}

// LookUp returns the address by which the frame's code is found: PC, or for a return
// address the byte before it, which belongs to the call.
func (f *Frame) LookUp() task.Addr {
	if f.Return && f.PC > 0 {
		return f.PC - 1
	}
	return f.PC
}

// Reason says why a walk ended.
type Reason uint8

// The reasons. Only Bottom is the true end of a stack; after any other, callers may
// be missing.
const (
	Bottom      Reason = iota // the outermost frame: no caller exists
	NoRegisters               // the thread's registers could not be captured
	NotCaptured               // the stack continues beyond what was copied: see Stop.Need
	NoCaller                  // no method found the caller
	BadPointer                // a frame pointer or return address that cannot be valid
	Loop                      // a frame that is not above the one it called
	TooDeep                   // MaxFrames reached
	Unsteady                  // the code there was being loaded or unloaded, so the caller is unknown
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

// MaxFrames is the maximum number of frames in a walk.
const MaxFrames = 10_000

// Stop says how a walk ended.
type Stop struct {
	Reason Reason
	Need   task.Addr // with NotCaptured: the first address that was missed
	Err    error     // detail; may be nil
}
