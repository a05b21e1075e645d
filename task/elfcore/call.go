package elfcore

import "stacksnap/task"

// interrupted has the results that a system call leaves in the result register when a signal has
// ended a wait in it: -EINTR, or the kernel's own -ERESTARTSYS, -ERESTARTNOINTR, -ERESTARTNOHAND
// and -ERESTART_RESTARTBLOCK (include/linux/errno.h), which programs never see.
var interrupted = map[int64]bool{-4: true, -512: true, -513: true, -514: true, -516: true}

// callOf returns the call in which a thread waited when the core was written, on processors
// where the call's number is among the registers.
func (t *thread) callOf() task.Syscall {
	if t.regs.Arch != task.AMD64 || t.call < 0 || !interrupted[int64(t.regs.R[0])] {
		return task.Syscall{State: task.OnProcessor}
	}
	s := task.Syscall{State: task.InCall, Number: int(t.call), SP: t.regs.SP(), PC: t.regs.PC()}
	for i, reg := range []task.Reg{5, 4, 1, 10, 8, 9} { // rdi, rsi, rdx, r10, r8, r9
		s.Args[i] = t.regs.R[reg]
	}
	return s
}

// Syscall implements [task.WaitReader].
func (p *Process) Syscall(id task.ThreadID) (task.Syscall, error) {
	i, ok := p.index[id]
	if !ok {
		return task.Syscall{}, task.ErrThreadGone
	}
	return p.threads[i].callOf(), nil
}

// WaitChannel implements [task.WaitReader]. It returns "": a core does not have it.
func (p *Process) WaitChannel(task.ThreadID) string { return "" }

// Watched implements [task.WaitReader]. It returns 0: a core does not have it.
func (p *Process) Watched(int) (int, []int) { return 0, nil }

// LocalThread implements [task.WaitReader]. It assumes that the thread ids in the core are those
// that the process itself uses. If they are not, it finds no owner, and none is reported.
func (p *Process) LocalThread(n int) (task.ThreadID, bool) {
	_, ok := p.index[task.ThreadID(n)]
	return task.ThreadID(n), ok
}
