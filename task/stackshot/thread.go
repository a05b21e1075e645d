package stackshot

import (
	"math/bits"
	"time"

	"stacksnap/task"
)

// find returns the thread with an id, nil if there is none.
func (p *Process) find(id task.ThreadID) *Thread {
	if i, ok := p.index[id]; ok {
		return &p.threads[i]
	}
	return nil
}

// Describe implements [task.Process].
func (p *Process) Describe(id task.ThreadID, to *task.Thread) error {
	t := p.find(id)
	if t == nil {
		return task.ErrThreadGone
	}
	to.ID, to.Name, to.Queue = id, t.Name, t.Label
	to.User, to.System = p.Shot.cpuTimes(t)
	s := t.Snapshot
	if s == nil {
		return nil
	}
	to.State = state(s.State)
	to.Priority = task.Priority{Now: int(s.Priority), Base: int(s.BasePriority)}
	if s.Flags&ThreadHasSerial != 0 {
		to.QueueSerial = s.QueueSerial
	}
	// The values of THREAD_QOS_* (osfmk/mach/thread_policy.h) are in the same order.
	if s.RequestedQoS <= uint8(task.UserInteractive) {
		to.QoS = task.QoS(s.RequestedQoS)
	}
	return nil
}

// Main reports whether a thread is its program's main thread, as far as that is
// known.
func (p *Process) Main(id task.ThreadID) bool {
	t := p.find(id)
	return t != nil && t.Snapshot != nil && t.Snapshot.Flags&ThreadMain != 0
}

// state returns one state for the State… bits of a thread; several may be
// set. A processor's idle thread counts as sleeping.
func state(s uint32) task.State {
	switch {
	case s&(StateEnding|StateEnded) != 0:
		return task.Ended
	case s&StateSuspended != 0:
		return task.Stopped
	case s&StateWait != 0 && s&StateUnstoppable != 0:
		return task.Uninterruptible
	case s&(StateWait|StateIdle) != 0:
		return task.Sleeping
	case s&StateRun != 0:
		return task.Running
	}
	return task.StateUnknown
}

// cpuTimes returns the CPU times of a thread.
func (s *Shot) cpuTimes(t *Thread) (user, system time.Duration) {
	switch {
	case t.CPU != nil:
		return micros(t.CPU.User), micros(t.CPU.System)
	case t.Snapshot != nil && s.Timebase != nil:
		return s.Timebase.duration(t.Snapshot.User), s.Timebase.duration(t.Snapshot.System)
	}
	return 0, 0
}

// maxDuration is the longest duration a stackshot may have: some 146 years.
const maxDuration = 1 << 62

func micros(n uint64) time.Duration {
	return time.Duration(min(n, maxDuration/1000)) * time.Microsecond
}

// duration converts the kernel's time to nanoseconds.
func (b *Timebase) duration(n uint64) time.Duration {
	if b.Denom == 0 {
		return 0
	}
	high, low := bits.Mul64(n, uint64(b.Numer))
	if high >= uint64(b.Denom) {
		return maxDuration
	}
	ns, _ := bits.Div64(high, low, uint64(b.Denom))
	return time.Duration(min(ns, maxDuration))
}

// Place is the code address of a thread's frame.
type Place struct {
	Addr   task.Addr
	Kernel bool // in the kernel, without its slide
	Return bool // it is a return address
}

// Missing says which parts of a stack the kernel could not read to the end, because their memory
// was not resident.
type Missing struct{ User, Kernel bool }

// lowest is below all code. main has no caller, but its arguments are where the
// return address would be, and the kernel takes them for one.
const lowest = 0x1000

// Stack appends the frames of a thread to places, the innermost first: those in the
// kernel, then those in the program.
func (p *Process) Stack(places []Place, id task.ThreadID) ([]Place, Missing) {
	t := p.find(id)
	if t == nil {
		return places, Missing{}
	}
	for _, f := range onlyCode(t.Kernel) {
		places = append(places, Place{Addr: task.Addr(f.LR), Kernel: true, Return: true})
	}
	for i, f := range onlyCode(t.User) {
		places = append(places, Place{Addr: task.Addr(f.LR), Return: i > 0})
	}
	return places, t.missing()
}

// onlyCode removes the end of a stack that is not code.
func onlyCode(frames []Frame) []Frame {
	for len(frames) > 0 && frames[len(frames)-1].LR < lowest {
		frames = frames[:len(frames)-1]
	}
	return frames
}

// missing decodes the flags of a thread. Old kernels do not say which of the stacks
// is cut.
func (t *Thread) missing() Missing {
	if t.Snapshot == nil {
		return Missing{}
	}
	flags := t.Snapshot.Flags
	m := Missing{User: flags&ThreadUserCut != 0, Kernel: flags&ThreadKernelCut != 0}
	if flags&ThreadCut != 0 && flags&threadTellsWhoseIsIt == 0 {
		m.User, m.Kernel = len(t.User) > 0, len(t.User) == 0
	}
	return m
}

// Still reports whether a thread has not run since the stackshot before.
func (p *Process) Still(id task.ThreadID) bool {
	t := p.find(id)
	return t != nil && t.Still
}

// Async reports whether the kernel has found callers of a thread's asynchronous
// functions, which are not frames on its stack.
func (p *Process) Async(id task.ThreadID) bool {
	t := p.find(id)
	return t != nil && len(t.Async) > 0
}
