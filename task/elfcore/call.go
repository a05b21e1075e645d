package elfcore

import "stacksnap/task"

// What a system call leaves in the register of its result when a signal has ended
// a wait in it: -EINTR, or the kernel's own -ERESTARTSYS, -ERESTARTNOINTR,
// -ERESTARTNOHAND and -ERESTART_RESTARTBLOCK (include/linux/errno.h), which no
// program sees.
var interrupted = map[int64]bool{-4: true, -512: true, -513: true, -514: true, -516: true}

// callOf is the call that a thread waited in as the core was written, on
// processors where its number stands beside the registers.
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

// WaitChannel implements [task.WaitReader]: a core does not tell.
func (p *Process) WaitChannel(task.ThreadID) string { return "" }

// Watched implements [task.WaitReader]: a core does not tell.
func (p *Process) Watched(int) (int, []int) { return 0, nil }

// LocalThread implements [task.WaitReader]. A core numbers threads as the
// process itself does, or it would find no owner: then none is told.
func (p *Process) LocalThread(n int) (task.ThreadID, bool) {
	_, ok := p.index[task.ThreadID(n)]
	return task.ThreadID(n), ok
}
