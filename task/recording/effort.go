package recording

import (
	"errors"
	"math"
)

// ErrTooMuch is the reason why the rest of a recording is left out: a few compressed
// bytes can expand to any number of snapshots, threads and stacks.
var ErrTooMuch = errors.New("no recording of its size takes so much time or memory to read")

// Limits for reading a recording: a base, and more for a larger file. A snapshot
// without changes is some 16 bytes of a file and costs 60 steps; running threads cost
// 20 steps for each byte, those that are 500 calls deep 150.
const (
	baseSteps    = 1 << 28 // about four seconds
	stepsPerByte = 256
	baseHeld     = 256 << 20 // bytes of our memory
	heldPerByte  = 64
	mostHeld     = 1 << 30
)

// Costs, in steps of about ten nanoseconds each.
const (
	stepsBlock    = 8  // plus its bytes
	stepsRecord   = 40 // plus its bytes, of any kind
	bytesPerStep  = 4  // decompressed
	copiedPerStep = 32 // bytes of a stack that are copied
	stepsThread   = 64 // for each thread, changed or not
	stepsImage    = 100
	// Costs of unwinding, for [Reader.Spend]: of each stack, of each frame, and of
	// each scan of the stack for one.
	StepsWalk  = 1000
	StepsFrame = 20
	StepsScan  = 1000
)

// costThread is the memory for a thread, here and where it is shown, in bytes.
const costThread = 2 << 10

// effort is what may still be spent on a recording.
type effort struct {
	steps int64
	held  int64 // maximum bytes of our memory
}

// effortFor returns what may be spent on a file of size bytes.
func effortFor(size int64) effort {
	size = min(max(size, 0), math.MaxInt64/(2*stepsPerByte))
	return effort{baseSteps + stepsPerByte*size, min(baseHeld+heldPerByte*size, mostHeld)}
}

// spend takes steps. It reports false if they exceed what is left.
func (e *effort) spend(steps int) bool {
	e.steps -= min(int64(steps), max(e.steps, 0)+1)
	return e.steps >= 0
}

// Spend takes steps for work that the last snapshot has caused. It reports false once
// the recording has exceeded its limit; there are no further snapshots then.
func (r *Reader) Spend(steps int) bool { return r.effort.spend(steps) }
