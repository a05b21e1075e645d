package waits

import (
	"fmt"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// pthreadSize is the largest size of a variable that is taken to be a single mutex, condition
// variable or read-write lock of pthread: it has no room for two of the smallest.
const pthreadSize = 64

// variable returns the variable in which the lock of a wait is, or the word; empty if it is
// in none. An address in a variable of several locks has its offset.
func (f *Finder) variable(w *profile.Wait, c *call) string {
	a, isPthread := word(w, c)
	if a == 0 || f.images == nil {
		return ""
	}
	v, ok := f.images.Variable(a)
	switch {
	case !ok:
		return ""
	case v.Offset == 0 || isPthread && v.Size <= pthreadSize:
		return v.Name
	}
	return fmt.Sprintf("%s+%d", v.Name, v.Offset)
}

// word returns the address that a wait is about, 0 if there is none, and whether it is in an
// object of pthread.
func word(w *profile.Wait, c *call) (a task.Addr, isPthread bool) {
	switch {
	case w.Lock == profile.Mutex || w.Lock == profile.ReadWrite:
		return w.Addr, true
	case w.Lock == profile.UnfairLock || w.Lock == profile.Once:
		return w.Addr, false
	case w.Lock != profile.NoLock:
		return 0, false
	}
	isPthread = strings.HasPrefix(w.Object, "condition variable")
	switch c.shape {
	case futex, psynchCond, wordOnly:
		return task.Addr(c.Args[0]), isPthread
	case ulock:
		return task.Addr(c.Args[1]), isPthread
	}
	return 0, false
}
