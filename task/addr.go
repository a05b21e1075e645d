// Package task is the vocabulary of stacksnap: what a process, a thread, its
// registers and its copied stack are, whoever supplies them. A live Mach task,
// a live Linux process, a core file and a recording all implement [Process];
// everything above this package works on the [Snapshot] that [Take] makes.
package task

import "strconv"

// Addr is an address in the target process, never one in a file: a position in
// a file's own numbering is a vmaddr (a plain uint64), and
// slide = address − vmaddr.
type Addr uint64

// String returns the address in hexadecimal with 0x before it.
func (a Addr) String() string {
	var b [len("0x") + 16]byte
	return string(strconv.AppendUint(append(b[:0], "0x"...), uint64(a), 16))
}

// ThreadID names one thread of a process: the thread id of the kernel (gettid)
// on Linux, the system-wide unique thread id (pthread_threadid_np) on macOS.
type ThreadID uint64
