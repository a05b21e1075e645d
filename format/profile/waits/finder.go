// Package waits finds what captured threads wait for: the system call, its object and, for
// a lock, the owner. An owner is named only if it is a live thread of the target, and if
// the waiting thread waited for the lock both before and after the lock was read.
//
// The package also has the table of calls. The rows of linuxCalls and darwinCalls say
// whether a thread in a call is idle; those of shapes say what the arguments mean and
// whether the call is for a lock. [Classify] uses them by number, for watches; [IsIdle] and
// [IsParked] use them by name, for reports. [ProvesIdle] and [ProvesParked] read the stack,
// too.
package waits

import (
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
)

// maxFrames is the number of innermost frames in which a known function is looked for.
const maxFrames = 8

// Finder finds the waits of the threads of one snapshot, after the target was resumed.
type Finder struct {
	process task.Process
	able    task.Capabilities
	calls   task.WaitReader // able.Waits; nil: unavailable
	images  *images.Map
	info    task.Info
	names   map[task.ThreadID]string // names of live threads
	listed  bool                     // names has all live threads
	ports   map[uint32]task.ThreadID // Darwin: threads by the name of their port; nil: not read yet
	retries Retries
	gaveUp  bool // the retries were used up before the thread was back in its call

	runtimes RuntimeLocks

	queries []PeerQuery // open queries

	gone map[task.Addr]goneOwner // keyed by the mutex

	watched map[int]watchedBy // keyed by the descriptor of an epoll instance

	functionsAt map[frameKey]located

	queuesAsked, queuesKnown bool // Darwin: whether dispatch queues can be read
}

// New returns a Finder for the threads of a snapshot. The process may have further threads.
func New(p task.Process, m *images.Map, threads []task.Thread) *Finder {
	f := &Finder{process: p, images: m, info: p.Info(), names: map[task.ThreadID]string{}, retries: NewRetries()}
	f.able = p.Capabilities()
	f.calls = f.able.Waits
	for i := range threads {
		f.names[threads[i].ID] = threads[i].Name
	}
	return f
}

// RuntimeLocks are the locks of the language runtimes of a process.
type RuntimeLocks interface {
	// LockOf returns the runtime's lock for which a thread waits if it waits for the futex word,
	// and the thread that has held the lock since before the snapshot, 0 if that is not known.
	LockOf(word task.Addr) (lock task.Addr, owner task.ThreadID, ok bool)
}

// WithRuntimes sets the locks of the process's runtimes, and returns f.
func (f *Finder) WithRuntimes(locks RuntimeLocks) *Finder {
	f.runtimes = locks
	return f
}

// Find returns the wait of a thread, nil if it does not wait or if its wait is unknown.
// frames is its stack, innermost first. settled is false if the thread is still on its way
// back into the call in which it was stopped; then the wait, or the owner of the lock, is
// unknown.
func (f *Finder) Find(t *task.Thread, frames []unwind.Frame) (w *profile.Wait, settled bool) {
	f.gaveUp = false
	c, ok := f.enter(t, frames)
	settled = !f.gaveUp
	if c.State == task.InFault {
		return f.fault(t, &c.Syscall), settled
	}
	if !ok {
		return nil, settled
	}
	w = &profile.Wait{Call: c.Name}
	f.describe(w, &c, t)
	w.Variable = f.variable(w, &c)
	if w.Owner != 0 {
		w.OwnerName = f.names[w.Owner]
	}
	return w, settled
}

// Ask is Find without retries: it does not wait until a thread is back in its call.
func (f *Finder) Ask(t *task.Thread, frames []unwind.Frame) (w *profile.Wait, settled bool) {
	left := f.retries
	f.retries = Retries{}
	w, settled = f.Find(t, frames)
	f.retries = left
	return w, settled
}

// live reports whether a thread belongs to the process.
func (f *Finder) live(id task.ThreadID) bool {
	if _, known := f.names[id]; known {
		return true
	}
	if !f.listed {
		f.list()
	}
	_, known := f.names[id]
	return known
}

// list adds the live threads that the snapshot does not have.
func (f *Finder) list() {
	f.listed = true
	ids, err := f.process.Threads()
	if err != nil {
		return
	}
	for _, id := range ids {
		if _, known := f.names[id]; !known {
			var t task.Thread
			if f.process.Describe(id, &t) == nil && t.State != task.Ended {
				f.names[id] = t.Name
			}
		}
	}
}

// call is a system call that a thread is in.
type call struct {
	Call
	task.Syscall
	frames []unwind.Frame
}

// enter returns the call that a thread was in when it was stopped.
func (f *Finder) enter(t *task.Thread, frames []unwind.Frame) (call, bool) {
	s := t.Call
	switch {
	case s.State == task.InCall && !f.isAskedBack(&s):
	case f.info.OS == task.Darwin:
		s = f.darwinCall(t)
	case f.calls != nil && s.State == task.InCall:
		f.comeBack(t)
	case f.calls != nil && f.hasEnded(t):
		s = endedCall(t)
	case f.calls != nil && (waiting(t.State) || f.returning(t)):
		s = f.linuxCall(t)
	}
	if s.State != task.InCall {
		return call{Syscall: s}, false
	}
	c := call{Syscall: s, frames: frames}
	c.Call = f.name(&c)
	return c, true
}

// isAskedBack reports whether the call needs details that can be read only when the thread
// is back in it: the owner of a lock, or the other end of a named pipe. For other calls,
// the captured state is enough.
func (f *Finder) isAskedBack(s *task.Syscall) bool {
	c, known := Lookup(f.info.OS, f.info.Arch, s.Number)
	if !known || c.Name == RestartSyscall {
		return true
	}
	return shapes[c.shape].askedBack
}

func waiting(s task.State) bool { return s == task.Sleeping || s == task.Uninterruptible }

// returning reports whether a runnable thread may be on its way back into a call that the
// previous stop interrupted: it has not moved, it is about to make the call, or this stop
// has interrupted the call again.
func (f *Finder) returning(t *task.Thread) bool {
	return t.State == task.Running && (t.Same || f.callAt(t, t.Registers.PC()) || f.interrupted(t))
}

// callCode returns the instruction that enters the kernel.
func callCode(arch task.Arch) string {
	switch arch {
	case task.AMD64:
		return "\x0f\x05" // syscall
	case task.I386:
		return "\xcd\x80" // int $0x80
	case task.ARM64:
		return "\x01\x00\x00\xd4" // svc #0
	}
	return ""
}

// callAt reports whether the instruction at pc enters the kernel.
func (f *Finder) callAt(t *task.Thread, pc task.Addr) bool {
	want := callCode(t.Registers.Arch)
	var b [4]byte
	n, _ := f.process.Memory().ReadMemory(b[:len(want)], pc)
	return n > 0 && string(b[:n]) == want
}

// interrupted reports whether a thread is just after a call whose result is internal to the
// kernel, which will restart the call (include/linux/errno.h, ERESTARTSYS to
// ERESTART_RESTARTBLOCK). On ARM the kernel has reset the registers already.
func (f *Finder) interrupted(t *task.Thread) bool {
	r := &t.Registers
	if r.Arch != task.AMD64 && r.Arch != task.I386 {
		return false
	}
	const result = task.Reg(0) // rax, eax
	switch v, known := r.Value(result); -int32(v) {
	case 512, 513, 514, 516:
		return known && f.callAt(t, r.PC()-task.Addr(len(callCode(r.Arch))))
	}
	return false
}

// linuxCall returns the thread's call, and waits until the thread is back in the call that
// the stop interrupted.
func (f *Finder) linuxCall(t *task.Thread) task.Syscall {
	for {
		s, err := f.calls.Syscall(t.ID)
		if err != nil || s.State == task.InCall && f.matches(&s, t) || faults(&s, t) {
			return s
		}
		if f.returning(t) || !f.retries.Pause() {
			f.gaveUp = true
			return task.Syscall{}
		}
	}
}

// comeBack waits until a thread is back in the call that it was in before the stop. Only
// then is the state of a lock meaningful.
func (f *Finder) comeBack(t *task.Thread) {
	for {
		s, err := f.calls.Syscall(t.ID)
		if err != nil || s.State == task.InCall {
			return
		}
		if !f.retries.Pause() {
			f.gaveUp = true
			return
		}
	}
}

// matches reports whether the call s is the one in which a thread was stopped: the
// registers still had its arguments. (The first may have the result already, and the pc may
// be that of the call or of the next instruction: see do_signal of either architecture.) If
// the registers are unknown, any call matches. For an unstopped thread, known registers
// must match. For a call on a descriptor, the same descriptor is enough, as a reader soon
// makes the next call.
func (f *Finder) matches(s *task.Syscall, t *task.Thread) bool {
	r := &t.Registers
	sp, known := r.Value(r.Arch.SP())
	if !known {
		return true
	}
	if task.Addr(sp) != s.SP || r.PC()-s.PC+4 > 8 {
		return false
	}
	from, to := 1, len(s.Args)
	if known, _ := Lookup(f.info.OS, r.Arch, s.Number); shapes[known.shape].onDescriptor && (r.Arch == task.AMD64 || t.Unstopped) {
		from, to = 0, 1
	}
	for i, reg := range argumentRegisters(r.Arch) {
		if v, ok := r.Value(reg); i >= from && i < to && v != s.Args[i] && (ok || !t.Unstopped) {
			return false
		}
	}
	return true
}

// callArguments reads the arguments of a call, false where a register is not known.
func callArguments(r *task.Registers) (args [6]uint64, ok bool) {
	for i, reg := range argumentRegisters(r.Arch) {
		if args[i], ok = r.Value(reg); !ok {
			return args, false
		}
	}
	return args, ok
}

// argumentRegisters returns the registers of a call's arguments, by DWARF number. (Linux:
// syscall(2); Darwin: libsyscall/custom/SYS.h, the C convention with r10 in place of rcx.)
func argumentRegisters(arch task.Arch) []task.Reg {
	switch arch {
	case task.AMD64:
		return []task.Reg{5, 4, 1, 10, 8, 9} // rdi, rsi, rdx, r10, r8, r9
	case task.ARM64:
		return []task.Reg{0, 1, 2, 3, 4, 5}
	}
	return nil
}

// name returns the row of the thread's call. An interrupted call with a timeout goes on as
// restart_syscall with unchanged arguments; its name comes from the function that made it.
func (f *Finder) name(c *call) Call {
	known, ok := Lookup(f.info.OS, f.info.Arch, c.Number)
	if !ok {
		return Call{Name: fmt.Sprintf("system call %d", c.Number)}
	}
	if known.Name != RestartSyscall {
		return known
	}
	if f.within(c.frames, mutexFunctions, readFunctions, writeFunctions, joinFunctions, condFunctions, semFunctions) != "" {
		known, _ = byName("futex")
		return known
	}
	for _, name := range f.functions(c.frames) {
		if found, ok := byName(name); ok && !shapes[found.shape].forks {
			return found
		}
	}
	return known
}
