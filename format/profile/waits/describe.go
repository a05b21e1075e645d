package waits

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// lockCommands returns the commands of fcntl that wait for a lock: F_SETLKW and F_OFD_SETLKW on
// Linux (include/uapi/asm-generic/fcntl.h), on Darwin also their variants with a timeout
// (bsd/sys/fcntl.h).
func lockCommands(os task.OS) []int32 {
	switch os {
	case task.Linux:
		return []int32{7, 38}
	case task.Darwin:
		return []int32{9, 10, 91, 93}
	}
	return nil
}

// waitsForLock reports whether a command of fcntl waits for a lock.
func (f *Finder) waitsForLock(command int32) bool {
	return slices.Contains(lockCommands(f.info.OS), command)
}

// file describes a descriptor: its number, and the file if the system reports it.
func (f *Finder) file(fd uint64) string {
	n := int(int32(fd))
	if n < 0 {
		return ""
	}
	s := fmt.Sprintf("fd %d", n)
	if f.able.OpenFile != nil {
		if what := f.able.OpenFile(n); what != "" {
			s += " " + what
		}
	}
	return s
}

// watchedBy are the files in an epoll instance: their number and some of their descriptors.
type watchedBy struct {
	n   int
	fds []int
}

// watchedBy returns the files in an epoll instance. It asks the system once for all threads
// of the snapshot, as many may wait in one instance.
func (f *Finder) watchedBy(fd int) (n int, fds []int) {
	w, known := f.watched[fd]
	if !known {
		if f.watched == nil {
			f.watched = map[int]watchedBy{}
		}
		w.n, w.fds = f.calls.Watched(fd)
		f.watched[fd] = w
	}
	return w.n, w.fds
}

// epoll describes an epoll instance by the files in it.
func (f *Finder) epoll(c *call) string {
	fd := c.Args[0]
	if f.calls == nil || int32(fd) < 0 {
		return f.file(fd)
	}
	n, fds := f.watchedBy(int(int32(fd)))
	if n == 0 {
		return f.file(fd)
	}
	var parts []string
	for _, w := range fds[:min(len(fds), maxNamed)] {
		parts = append(parts, f.file(uint64(w)))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("fd %d, which watches %d", int32(fd), n)
	}
	return fmt.Sprintf("fd %d, which watches %d: %s", int32(fd), n, list(parts, n-len(parts)))
}

// list joins parts by commas, and adds the number of those left out.
func list(parts []string, more int) string {
	if more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// fdControl sets the owner of the lock that a command of fcntl waits for, if it waits for
// one.
func (f *Finder) fdControl(w *profile.Wait, c *call, t *task.Thread) {
	if f.waitsForLock(int32(c.Args[1])) {
		f.fileLock(w, c, t)
	}
}

// fileLock sets the process that holds the lock of a file.
func (f *Finder) fileLock(w *profile.Wait, c *call, t *task.Thread) {
	w.Lock = profile.FileLock
	if f.able.Peers == nil { // a core has calls, and no peers
		return
	}
	if pid, ok := f.able.Peers.LockHolder(int(int32(c.Args[0]))); ok && f.stillIn(t, c) {
		w.OwnerPID = pid
		f.query(w, c, t, PeerQuery{Action: profile.Release, FD: int(int32(c.Args[0]))})
	}
}

// The most descriptors of a set that are listed, and the size of struct pollfd.
const (
	maxNamed   = 3
	pollFDSize = 8
)

// pollSet describes the first descriptors that poll waits for.
func (f *Finder) pollSet(c *call) string {
	a, n := task.Addr(c.Args[0]), c.Args[1]
	if n == 0 {
		return ""
	}
	var b [maxNamed * pollFDSize]byte
	named := b[:min(n, maxNamed)*pollFDSize]
	if task.ReadFull(f.process.Memory(), named, a) != nil {
		return fmt.Sprintf("%d descriptors", n)
	}
	var parts []string
	for i := 0; i < len(named); i += pollFDSize {
		if s := f.file(uint64(binary.LittleEndian.Uint32(named[i:]))); s != "" {
			parts = append(parts, s)
		}
	}
	return list(parts, int(min(n, 1<<31))-maxNamed)
}

// childOf describes the processes that wait4 or waitid waits for. The call returns when one
// of them ends.
func childOf(_ *Finder, c *call) string {
	if c.shape == child {
		return childObject(int32(c.Args[0]))
	}
	const onePID, oneGroup = 1, 2 // P_PID, P_PGID
	switch id := int32(c.Args[1]); int32(c.Args[0]) {
	case onePID:
		return childObject(id)
	case oneGroup:
		return groupObject(int64(id))
	}
	return childObject(-1)
}

// childObject describes the pid argument of wait4: a pid, minus a process group, or -1 for
// any child.
func childObject(pid int32) string {
	switch {
	case pid > 0:
		return fmt.Sprintf("process %d to end", pid)
	case pid < -1:
		return groupObject(-int64(pid))
	}
	return "a child process to end"
}

func groupObject(group int64) string { return fmt.Sprintf("a process of group %d to end", group) }

// cloneVFork is CLONE_VFORK (include/uapi/linux/sched.h).
const cloneVFork = 0x4000

// vforked describes the wait of a thread in vfork or clone, until the child no longer
// borrows its memory; empty if the flags do not ask for that. Those of clone3 are the first
// field of struct clone_args.
func (f *Finder) vforked(c *call) string {
	flags := uint64(cloneVFork)
	switch c.shape {
	case clone:
		flags = c.Args[0]
	case clone3:
		var b [8]byte
		if task.ReadFull(f.process.Memory(), b[:], task.Addr(c.Args[0])) != nil {
			return ""
		}
		flags = binary.LittleEndian.Uint64(b[:])
	}
	if flags&cloneVFork == 0 {
		return ""
	}
	return "its child to call exec or to end"
}
