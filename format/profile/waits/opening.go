package waits

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// maxPath is how long a path may be that Linux opens (PATH_MAX,
// include/uapi/linux/limits.h).
const maxPath = 4096

// Where Linux waits for the other end of a named pipe as it opens one, before it has a
// descriptor (fs/pipe.c); and of the flags of open(2) what it is opened for.
var partnerWaits = map[string]bool{"wait_for_partner": true, "fifo_open": true}

const (
	accessMode = 3
	readOnly   = 0
	writeOnly  = 1
)

// openOf is opening for a call with the path in that argument, and the flags in the next.
func openOf(path int) func(*Finder, *profile.Wait, *call, *task.Thread) {
	return func(f *Finder, w *profile.Wait, c *call, t *task.Thread) {
		f.opening(w, c, t, task.Addr(c.Args[path]), c.Args[path+1])
	}
}

// opening says what is opened, as the program names it. A named pipe is opened at once
// where anybody has its other end open: see fifo(7).
func (f *Finder) opening(w *profile.Wait, c *call, t *task.Thread, path task.Addr, flags uint64) {
	w.Object, _ = task.ReadCString(f.process.Memory(), path, maxPath) // or else it is not known
	if f.calls == nil || !partnerWaits[f.calls.WaitChannel(t.ID)] || !f.stillIn(t, c) {
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
