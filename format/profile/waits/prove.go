package waits

import "stacksnap/task"

// stillIn reports whether a thread is in the same call as when it was captured:
// what was read between then and now is then of one wait. Of a process that
// does not run it always is.
func (f *Finder) stillIn(t *task.Thread, c *call) bool {
	switch {
	case f.info.OS == task.Darwin:
		return !f.info.Live || f.isInCall(t, c)
	case f.calls == nil:
		return true
	case f.gaveUp:
		return false
	}
	s, err := f.calls.Syscall(t.ID)
	return err == nil && s.State == task.InCall && s.Args == c.Args && s.SP == c.SP && s.PC == c.PC
}

// isInCall reports whether a thread of a running Darwin process is in a call: its registers are
// those with which it entered the kernel. One that runs may be on its way back into the call:
// some kernels have it run a little by a stop.
func (f *Finder) isInCall(t *task.Thread, c *call) bool {
	if f.able.Activity == nil {
		return false
	}
	watch, err := f.able.Activity.WatchThread(t.ID)
	if err != nil {
		return false
	}
	defer func() { _ = watch.Close() }()
	g, err := watch.Glance()
	for err == nil && (g.State == task.Running || g.Later) && f.retries.Pause() {
		g, err = watch.Glance()
	}
	if err != nil || g.Registers.Known == 0 {
		return false
	}
	return f.darwinCall(&task.Thread{State: g.State, Registers: g.Registers}) == c.Syscall
}
