package waits

import "stacksnap/task"

// stillIn reports whether a thread is still in the call in which it was captured, so that
// everything read in between belongs to one wait. It always is if the process does not run.
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
// those with which it entered the kernel. It pauses while the thread runs, because some kernels
// let threads run a little after a stop before they are back in their calls.
func (f *Finder) isInCall(t *task.Thread, c *call) bool {
	if f.able.Activity == nil {
		return false
	}
	watch, err := f.able.Activity.WatchThread(t.ID)
	if err != nil {
		return false
	}
	defer func() { _ = watch.Close() }()
	g, err := watch.Observe()
	for err == nil && (g.State == task.Running || g.Later) && f.retries.Pause() {
		g, err = watch.Observe()
	}
	if err != nil || g.Registers.Known == 0 {
		return false
	}
	return f.darwinCall(&task.Thread{State: g.State, Registers: g.Registers}) == c.Syscall
}
