// Package waits finds what captured threads wait for: the system call, what it is about and,
// of a lock, the thread that holds it. An owner is named only when it is a live thread of the
// target and the waiting one was seen to wait for the lock before and after the lock was read.
//
// It also has the one table of what waits mean. The rows of linuxCalls and darwinCalls say
// whether a thread in a call is idle, those of shapes what the arguments are about and whether
// the call is for a lock. [Classify] asks them by number, for a watch that looks for hangs;
// [IsIdle] and [IsParked] ask them by name, for reports.
package waits

import (
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
)

// maxFrames is how far from its innermost frame a thread's function is looked
// for that knows what is waited for.
const maxFrames = 8

// Finder finds what the threads of one snapshot wait for, after it: the target
// runs on.
type Finder struct {
	process task.Process
	able    task.Capabilities
	calls   task.WaitReader // able.Waits; nil: the system does not report them
	images  *images.Map
	info    task.Info
	names   map[task.ThreadID]string // of live threads
	listed  bool                     // names has all of them
	ports   map[uint32]task.ThreadID // Darwin: by the name of their port; nil: not read yet
	retries Retries
	gaveUp  bool // there was no time for another try, and a thread not back in its call

	queries []PeerQuery // that are open

	watched map[int]watchedBy // by the descriptor of an epoll instance

	queuesAsked, queuesKnown bool // Darwin: whether dispatch queues can be read
}

// New makes a Finder for the threads of a snapshot, which need not be all of the
// process.
func New(p task.Process, m *images.Map, threads []task.Thread) *Finder {
	f := &Finder{process: p, images: m, info: p.Info(), names: map[task.ThreadID]string{}, retries: NewRetries()}
	f.able = p.Capabilities()
	f.calls = f.able.Waits
	for i := range threads {
		f.names[threads[i].ID] = threads[i].Name
	}
	return f
}

// Find returns what a thread waits for, nil when it does not wait or that is not
// known. Frames are its stack, the innermost first. Settled is false when the
// thread is still on its way back into the call in which it was stopped: then
// nobody knows whether it waits or, where the call is known, who holds the lock.
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
	if w.Owner != 0 {
		w.OwnerName = f.names[w.Owner]
	}
	return w, settled
}

// Ask is Find without retries: it does not wait for a thread to be back in its call.
func (f *Finder) Ask(t *task.Thread, frames []unwind.Frame) (w *profile.Wait, settled bool) {
	left := f.retries
	f.retries = Retries{}
	w, settled = f.Find(t, frames)
	f.retries = left
	return w, settled
}

// live reports whether a thread is one of the process.
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

// list finds the threads that the snapshot does not have.
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

// enter finds the call that a thread was in as it was stopped.
func (f *Finder) enter(t *task.Thread, frames []unwind.Frame) (call, bool) {
	s := t.Call
	switch {
	case s.State == task.InCall && !f.isAskedBack(&s):
	case f.info.OS == task.Darwin:
		s = f.darwinCall(t)
	case f.calls != nil && s.State == task.InCall:
		f.comeBack(t)
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

// isAskedBack reports whether a call may be for a lock, or for the other end of a named
// pipe, of which more is asked when the thread is back in it. Of another it is enough to
// know what the thread was in as it was captured.
func (f *Finder) isAskedBack(s *task.Syscall) bool {
	c, known := Lookup(f.info.OS, f.info.Arch, s.Number)
	if !known || c.Name == RestartSyscall {
		return true
	}
	return shapes[c.shape].askedBack
}

func waiting(s task.State) bool { return s == task.Sleeping || s == task.Uninterruptible }

// returning reports whether a thread that looks as if it ran may be on its way back
// from the stop before, and was only runnable for that: it is where it was
// then, is about to make the call again, or has, and was interrupted in it anew.
func (f *Finder) returning(t *task.Thread) bool {
	return t.State == task.Running && (t.Same || f.callAt(t, t.Registers.PC()) || f.interrupted(t))
}

// callCode is the instruction that enters the kernel.
var callCode = map[task.Arch]string{
	task.AMD64: "\x0f\x05",         // syscall
	task.I386:  "\xcd\x80",         // int $0x80
	task.ARM64: "\x01\x00\x00\xd4", // svc #0
}

// callAt reports whether the instruction at pc enters the kernel, for a thread.
func (f *Finder) callAt(t *task.Thread, pc task.Addr) bool {
	want := callCode[t.Registers.Arch]
	var b [4]byte
	n, _ := f.process.Memory().ReadMemory(b[:len(want)], pc)
	return n > 0 && string(b[:n]) == want
}

// interrupted reports whether a thread is behind a call whose result is one that
// no program gets: the kernel is to make the call again (include/linux/errno.h,
// ERESTARTSYS to ERESTART_RESTARTBLOCK). On ARM it has wound that back already.
func (f *Finder) interrupted(t *task.Thread) bool {
	r := &t.Registers
	if r.Arch != task.AMD64 && r.Arch != task.I386 {
		return false
	}
	const result = task.Reg(0) // rax, eax
	switch v, known := r.Value(result); -int32(v) {
	case 512, 513, 514, 516:
		return known && f.callAt(t, r.PC()-task.Addr(len(callCode[r.Arch])))
	}
	return false
}

// linuxCall asks until the thread is back in the call that the stop interrupted.
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

// comeBack waits until a thread is back in the call that it was seen in before
// the stop: only then does it count what a lock says.
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

// matches reports whether a thread that was stopped in a call was in this one: its
// registers still had the arguments. (The first may hold the result already, and
// the pc be that of the instruction or the next: see do_signal of either
// architecture.) Of a thread whose registers are not known, the call is all
// there is; of one that was not stopped, sp and pc. Of a call on a descriptor it is enough that
// this is the same: who reads a file piece by piece is soon at the next one.
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
	for i, reg := range argumentRegisters(task.Linux, r.Arch) {
		if v, ok := r.Value(reg); i >= from && i < to && v != s.Args[i] && (ok || !t.Unstopped) {
			return false
		}
	}
	return true
}

// argumentRegisters are those of a call's arguments, by DWARF number. (Linux:
// syscall(2); Darwin: libsyscall/custom/SYS.h, which is the C convention with
// r10 for rcx.)
func argumentRegisters(os task.OS, arch task.Arch) []task.Reg {
	switch arch {
	case task.AMD64:
		return []task.Reg{5, 4, 1, 10, 8, 9} // rdi, rsi, rdx, r10, r8, r9
	case task.ARM64:
		return []task.Reg{0, 1, 2, 3, 4, 5}
	}
	return nil
}

// name finds the call's name. A call with a time limit that was interrupted, by
// a snapshot for one, goes on as restart_syscall with its arguments unchanged:
// the function that made it is that of the call.
func (f *Finder) name(c *call) Call {
	known, ok := Lookup(f.info.OS, f.info.Arch, c.Number)
	if !ok {
		return Call{Name: fmt.Sprintf("system call %d", c.Number)}
	}
	if known.Name != RestartSyscall {
		return known
	}
	if f.within(c.frames, lockFunctions) != "" || f.within(c.frames, futexFunctions) != "" {
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
