package waits

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// describe says what a call is about.
func (f *Finder) describe(w *profile.Wait, c call, t *task.Thread) {
	switch c.shape {
	case descriptor:
		w.Object = f.file(c.Args[0])
		f.askOfFile(w, &c, t)
	case openedPath:
		f.opening(w, &c, t, task.Addr(c.Args[0]), c.Args[1])
	case openedAt:
		f.opening(w, &c, t, task.Addr(c.Args[1]), c.Args[2])
	case epoll:
		w.Object = f.epoll(c.Args[0])
	case fileLock:
		f.fileLock(w, &c, t)
	case fdControl:
		w.Object = f.file(c.Args[0])
		if f.waitsForLock(int32(c.Args[1])) {
			f.fileLock(w, &c, t)
		}
	case pollSet:
		w.Object = f.pollSet(task.Addr(c.Args[0]), c.Args[1])
		f.askOfPoll(w, &c, t)
	case child:
		w.Object = childProcess(int32(c.Args[0]))
		f.askOfChild(w, &c, t)
	case childID:
		w.Object = waitID(c.Args[0], int32(c.Args[1]))
		f.askOfChild(w, &c, t)
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
	case workloop:
		f.workloop(w, &c, t)
	case machMessage, machMessage2:
		f.machMessage(w, &c, t)
	case machSemaphore:
		f.semaphore(w, &c)
	case semaphoreSleep:
		sleep(w, &c)
	case waitUntil:
		w.Object = "a time to come"
	case selectSets:
		w.Object = f.selectSets(&c)
	}
}

// F_SETLKW and F_OFD_SETLKW of Linux (include/uapi/asm-generic/fcntl.h), and
// with F_SETLKWTIMEOUT and its twin of Darwin (bsd/sys/fcntl.h).
var lockCommands = map[task.OS][]int32{
	task.Linux:  {7, 38},
	task.Darwin: {9, 10, 91, 93},
}

// waitsForLock reports whether a command of fcntl waits for a lock.
func (f *Finder) waitsForLock(command int32) bool {
	return slices.Contains(lockCommands[f.info.OS], command)
}

// file names a descriptor: its number, and what it is where the system tells.
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

// epoll names an epoll instance by what it watches.
func (f *Finder) epoll(fd uint64) string {
	if f.calls == nil || int32(fd) < 0 {
		return f.file(fd)
	}
	n, fds := f.calls.Watched(int(int32(fd)))
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

// list puts things behind each other, and how many more there are.
func list(parts []string, more int) string {
	if more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

func (f *Finder) fileLock(w *profile.Wait, c *call, t *task.Thread) {
	w.Lock = profile.FileLock
	w.Object = f.file(c.Args[0])
	if f.able.Peers == nil {
		return
	}
	if pid, ok := f.able.Peers.LockHolder(int(int32(c.Args[0]))); ok && f.stillIn(t, c) {
		w.OwnerPID = pid
		f.ask(w, c, t, Question{Act: profile.Release, FD: int(int32(c.Args[0]))})
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
	return list(parts, int(min(n, 1<<31))-maxNamed)
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
