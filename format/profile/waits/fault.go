package waits

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// pageWaits returns the object of the wait for a function of Linux's kernel in which a thread
// waits for a page of memory; empty for other functions. A page may be read from a file or from swap, or be moved in
// memory; the kernel waits for all of these in the same functions.
func pageWaits(function string) string {
	switch function {
	case "handle_userfault":
		return "memory that is provided through userfaultfd"
	case "folio_wait_bit_common", "__folio_lock_or_retry",
		"wait_on_page_bit_common", // before Linux 5.16
		"__lock_page_or_retry":
		return "a page of memory that is being read or moved"
	}
	return ""
}

// fault returns the wait of a thread that is blocked outside a system call; nil unless it
// is for memory.
func (f *Finder) fault(t *task.Thread, s *task.Syscall) *profile.Wait {
	if f.calls == nil {
		return nil
	}
	what := pageWaits(f.calls.WaitChannel(t.ID))
	if what == "" {
		return nil
	}
	if now, err := f.calls.Syscall(t.ID); err != nil || now != *s {
		return nil
	}
	return &profile.Wait{Call: profile.PageFault, Object: what}
}

// flushes are the calls of Linux that wait for a disk, whatever state a thread in one is read in.
var flushes = set{"fsync", "fdatasync", "sync", "syncfs", "msync", "sync_file_range"}

// hasEnded reports whether a thread waited for a disk until it was ordered to stop, in a call
// that ended before it stopped.
func (f *Finder) hasEnded(t *task.Thread) bool {
	if !t.HasEnded || !f.callAt(t, t.Registers.PC()-task.Addr(len(callCode(t.Registers.Arch)))) {
		return false
	}
	c, known := Lookup(f.info.OS, t.Registers.Arch, int(t.EndedCall))
	slept := t.State == task.Uninterruptible && shapes[c.shape].onDescriptor && !shapes[c.shape].askedBack
	return known && (slept || flushes.has(c.Name))
}

// endedCall returns the call of a thread for which hasEnded is true. Its registers still have
// the arguments.
func endedCall(t *task.Thread) task.Syscall {
	r := &t.Registers
	s := task.Syscall{State: task.InCall, Number: int(t.EndedCall), SP: r.SP(), PC: r.PC()}
	s.Args, _ = callArguments(r)
	return s
}

// faults reports whether a thread is still blocked outside a system call, at the place
// where it was captured.
func faults(s *task.Syscall, t *task.Thread) bool {
	sp, known := t.Registers.Value(t.Registers.Arch.SP())
	return s.State == task.InFault && known && task.Addr(sp) == s.SP && t.Registers.PC() == s.PC
}
