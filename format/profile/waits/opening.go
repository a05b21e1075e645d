package waits

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// maxPath is the longest path that Linux opens (PATH_MAX, include/uapi/linux/limits.h).
const maxPath = 4096

// partnerWaits are the functions in which Linux, when it opens a named pipe, waits for the
// other end to be opened (fs/pipe.c).
var partnerWaits = set{"wait_for_partner", "fifo_open"}

const (
	accessMode = 3
	readOnly   = 0
	writeOnly  = 1
)

// openOf returns opening for a call that has the path in that argument, and the flags in
// the next.
func openOf(path int) func(*Finder, *profile.Wait, *call, *task.Thread) {
	return func(f *Finder, w *profile.Wait, c *call, t *task.Thread) {
		f.opening(w, c, t, task.Addr(c.Args[path]), c.Args[path+1])
	}
}

// opening describes the file that a thread opens, by the path that the program gave. To
// open a named pipe blocks until its other end is open: see fifo(7).
func (f *Finder) opening(w *profile.Wait, c *call, t *task.Thread, path task.Addr, flags uint64) {
	w.Object, _ = task.ReadCString(f.process.Memory(), path, maxPath) // empty if it cannot be read
	if f.calls == nil || !partnerWaits.has(f.calls.WaitChannel(t.ID)) || !f.stillIn(t, c) {
		return
	}
	if w.Object == "" {
		w.Object = "???"
	}
	switch flags & accessMode {
	case readOnly:
		w.Object += ", a named pipe that nobody has open for writing"
	case writeOnly:
		w.Object += ", a named pipe that nobody has open for reading"
	}
}
