package mach

import "stacksnap/task"

// ThreadHandle is that of [task.Capabilities], of threads that were listed.
// dispatch_qaddr is counted from the begin of the thread's own data, too, and
// kernels that give another thread_handle than XNU have it right.
func (p *Process) ThreadHandle(id task.ThreadID) (task.Addr, bool) {
	name, found := p.find(id)
	if !found {
		return 0, false
	}
	who, r := p.k.identity(name)
	if r != success || who.handle == 0 {
		return 0, false
	}
	return p.ownDataOf(who), true
}

// ownDataOf returns where a thread's own data begins, 0 where it has none yet.
func (p *Process) ownDataOf(who identity) task.Addr {
	if offset := task.Addr(queueSlot * p.info.Arch.PointerSize()); who.handle != 0 && who.queue > offset {
		return who.queue - offset
	}
	return who.handle
}
