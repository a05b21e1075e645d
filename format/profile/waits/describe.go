package waits

import (
	"encoding/binary"
	"fmt"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// describe says what a call is about.
func (f *Finder) describe(w *profile.Wait, c call, t *task.Thread) {
	switch c.shape {
	case descriptor:
		w.Object = f.file(c.Args[0])
	case fileLock:
		f.fileLock(w, &c)
	case fdControl:
		w.Object = f.file(c.Args[0])
		if cmd := int32(c.Args[1]); f.info.OS == task.Linux && (cmd == setLockWait || cmd == setOpenLockWait) {
			f.fileLock(w, &c)
		}
	case pollSet:
		w.Object = f.pollSet(task.Addr(c.Args[0]), c.Args[1])
	case child:
		w.Object = childProcess(int32(c.Args[0]))
	case childID:
		w.Object = waitID(c.Args[0], int32(c.Args[1]))
	case futex:
		f.futex(w, &c, t)
	case wordOnly:
		w.Object = task.Addr(c.Args[0]).String()
	case vfork, clone, clone3:
		w.Object = f.vforked(&c)
	case psynchMutex, psynchRW, psynchCond:
		f.psynch(w, &c, t)
	case ulock:
		f.ulock(w, &c, t)
	}
}

// F_SETLKW and F_OFD_SETLKW (include/uapi/asm-generic/fcntl.h).
const (
	setLockWait     = 7
	setOpenLockWait = 38
)

// file names a descriptor: its number, and what it is where the system tells.
func (f *Finder) file(fd uint64) string {
	n := int(int32(fd))
	if n < 0 {
		return ""
	}
	s := fmt.Sprintf("fd %d", n)
	if f.calls != nil {
		if what := f.calls.OpenFile(n); what != "" {
			s += " " + what
		}
	}
	return s
}

func (f *Finder) fileLock(w *profile.Wait, c *call) {
	w.Lock = profile.FileLock
	w.Object = f.file(c.Args[0])
	if f.calls == nil {
		return
	}
	if pid, ok := f.calls.LockHolder(int(int32(c.Args[0]))); ok {
		w.OwnerPID = pid
	}
}

// The most descriptors of a set that are named, and the size of struct pollfd.
const (
	maxNamed   = 3
	pollFDSize = 8
)

func (f *Finder) pollSet(a task.Addr, n uint64) string {
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
	if n > maxNamed {
		parts = append(parts, fmt.Sprintf("and %d more", n-maxNamed))
	}
	return strings.Join(parts, ", ")
}

// childProcess reads the first argument of wait4.
func childProcess(pid int32) string {
	switch {
	case pid > 0:
		return fmt.Sprintf("process %d to end", pid)
	case pid < -1:
		return fmt.Sprintf("a process of group %d to end", -int64(pid))
	}
	return "a child process to end"
}

// cloneVFork is CLONE_VFORK (include/uapi/linux/sched.h).
const cloneVFork = 0x4000

// vforked is what a thread waits for that has made a process which borrows its
// memory. The flags of clone3 are the first field of struct clone_args.
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

// waitID reads the arguments of waitid: P_PID is 1, P_PGID 2.
func waitID(kind uint64, id int32) string {
	switch int32(kind) {
	case 1:
		return childProcess(id)
	case 2:
		return fmt.Sprintf("a process of group %d to end", id)
	}
	return childProcess(-1)
}
