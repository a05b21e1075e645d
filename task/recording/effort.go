package recording

import (
	"errors"
	"math"
)

// ErrTooMuch is the reason for which the rest of a recording is left out: what is
// compressed to a few bytes can hold any number of snapshots, threads and stacks.
var ErrTooMuch = errors.New("no recording of its size takes so much time or memory to read")

// What may be spent on a recording: so much in any case, and the more the larger
// its file is. A snapshot in which nothing has changed is some 16 bytes of a file,
// and costs 60 steps; threads that run cost 20 steps for each byte, those that are
// 500 calls deep 150.
const (
	baseSteps    = 1 << 28 // about four seconds
	stepsPerByte = 256
	baseHeld     = 256 << 20 // bytes of our memory
	heldPerByte  = 64
	mostHeld     = 1 << 30
)

// What things cost, in steps of about ten nanoseconds each.
const (
	stepsBlock    = 8  // besides its bytes
	stepsRecord   = 40 // besides its bytes, of whatever kind
	bytesPerStep  = 4  // that are decompressed
	copiedPerStep = 32 // bytes of a stack that is put together
	stepsThread   = 64 // that is looked at, whether it has changed or not
	stepsImage    = 100
	// What a walk costs, for [Reader.Spend]: each, each frame, and each search of the
	// stack for one.
	StepsWalk  = 1000
	StepsFrame = 20
	StepsScan  = 1000
)

// costThread is what a thread costs here and where it is shown, in bytes.
const costThread = 2 << 10

// effort is what may still be spent on a recording.
type effort struct {
	steps int64
	held  int64 // bytes of our memory at most
}

// effortFor is what may be spent on a file of size bytes.
func effortFor(size int64) effort {
	size = min(max(size, 0), math.MaxInt64/(2*stepsPerByte))
	return effort{baseSteps + stepsPerByte*size, min(baseHeld+heldPerByte*size, mostHeld)}
}

// spend counts steps, and reports whether there were as many.
func (e *effort) spend(steps int) bool {
	e.steps -= min(int64(steps), max(e.steps, 0)+1)
	return e.steps >= 0
}

// Spend counts steps of work that the last snapshot has caused, and reports whether
// the recording may cost so much. Once it may not, it has no further snapshot.
func (r *Reader) Spend(steps int) bool { return r.effort.spend(steps) }
