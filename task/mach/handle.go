package mach

import "stacksnap/task"

var _ task.ThreadHandler = (*Process)(nil)

// ThreadHandle implements [task.ThreadHandler], of threads that were listed.
func (p *Process) ThreadHandle(id task.ThreadID) (task.Addr, bool) {
	name, found := p.find(id)
	if !found {
		return 0, false
	}
	who, r := p.k.identity(name)
	return who.handle, r == success && who.handle != 0
}
