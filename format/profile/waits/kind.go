package waits

import "stacksnap/task"

// Kind is what a call means to a thread that is in it.
type Kind uint8

// The kinds of calls.
const (
	Other Kind = iota
	Loop       // of a run loop: the thread has nothing to do
	Lock       // for a lock, as far as the call alone tells
)

// The values that glibc's and the kernel's locks expect in a futex while they
// are held: 2 of a mutex (nptl/lowlevellock.h), 3 of a read-write lock.
const (
	futexOfMutex     = 2
	futexOfReadWrite = 3
)

// Classify tells by a call alone what it means, and its name, empty when that is
// not known.
func Classify(os task.OS, arch task.Arch, s *task.Syscall) (Kind, string) {
	c, ok := Lookup(os, arch, s.Number)
	if !ok {
		return Other, ""
	}
	return c.kind(s.Args), c.Name
}

// ClassifyNamed is Classify for a Linux call of which only the name is known.
func ClassifyNamed(name string, args [6]uint64) Kind {
	c, _ := byName(name)
	return c.kind(args)
}

func (c Call) kind(args [6]uint64) Kind {
	switch {
	case c.Idle(args):
		return Loop
	case c.shape == psynchMutex, c.shape == psynchRW, c.shape == fileLock, c.shape == workloop,
		c.shape == ulock && args[0]&ulockCommand == ulockUnfair,
		c.shape == futex && lockOperation(args):
		return Lock
	}
	return Other
}

func lockOperation(args [6]uint64) bool {
	op, expected := args[1]&futexCommand, uint32(args[2])
	const wait, waitBitset = 0, 9
	return op == futexLockPI || op == futexLockPI2 ||
		(op == wait || op == waitBitset) && (expected == futexOfMutex || expected == futexOfReadWrite)
}

// DarwinCall reads the call that a waiting thread of a Darwin process is in out
// of its registers.
func DarwinCall(p task.Process, r *task.Registers) task.Syscall {
	f := Finder{process: p, info: p.Info()}
	return f.darwinCall(&task.Thread{Registers: *r})
}
