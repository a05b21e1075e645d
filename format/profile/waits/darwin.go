package waits

import (
	"encoding/binary"
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// darwinCall reads the call out of the registers, which the kernel leaves alone
// until the call returns (bsd/dev/arm/systemcalls.c, unix_syscall;
// bsd/dev/i386/systemcalls.c, unix_syscall64). The instruction before the pc
// must be one that enters the kernel.
func (f *Finder) darwinCall(t *task.Thread) task.Syscall {
	r := &t.Registers
	number, ok := f.darwinNumber(r)
	if !ok || t.State == task.Running {
		return task.Syscall{}
	}
	s := task.Syscall{State: task.InCall, Number: number, SP: r.SP(), PC: r.PC()}
	for i, reg := range argumentRegisters(task.Darwin, r.Arch) {
		v, known := r.Value(reg)
		if !known {
			return task.Syscall{}
		}
		s.Args[i] = v
	}
	return s
}

// Where a call's number is, and how it is entered. On x86_64 bits 24 and up of
// rax are the class: 1 Mach, 2 BSD (osfmk/mach/i386/syscall_sw.h). On arm64 a
// negative x16 is a Mach trap (osfmk/arm64/sleh.c, handle_svc).
const (
	raxReg   = 0
	x16Reg   = 16
	svc80    = 0xd4001001
	classBit = 24
)

func (f *Finder) darwinNumber(r *task.Registers) (int, bool) {
	var b [4]byte
	m := f.process.Memory()
	switch r.Arch {
	case task.AMD64:
		rax, known := r.Value(raxReg)
		if !known || task.ReadFull(m, b[:2], r.PC()-2) != nil || b[0] != 0x0f || b[1] != 0x05 {
			return 0, false
		}
		return classNumber(rax)
	case task.ARM64:
		x16, known := r.Value(x16Reg)
		if !known || task.ReadFull(m, b[:], r.PC()-4) != nil || binary.LittleEndian.Uint32(b[:]) != svc80 {
			return 0, false
		}
		return int(int32(x16)), true
	}
	return 0, false
}

func classNumber(rax uint64) (int, bool) {
	number := int(rax & (1<<classBit - 1))
	switch rax >> classBit {
	case 1:
		return -number, true
	case 2:
		return number, true
	}
	return 0, false
}

// threadIDOffset is that of m_tid in struct pthread_mutex_s and of rw_tid in
// struct pthread_rwlock_s: the thread id of the holder, in the 64-bit aligned
// words from there on (libpthread-539, src/types_internal.h;
// MUTEX_GETTID_ADDR, src/pthread_mutex.c).
const threadIDOffset = 24

// psynch reads a lock of libpthread whose address is the call's first argument.
// A thread that holds what it waits for has got it since it was stopped, unless
// it went to sleep with itself as the holder, which is psynch_mutexwait's fourth
// argument.
func (f *Finder) psynch(w *profile.Wait, c *call, t *task.Thread) {
	a := task.Addr(c.Args[0])
	switch c.shape {
	case psynchCond:
		w.Object = fmt.Sprintf("condition variable %v", a)
		return
	case psynchRW:
		w.Lock = profile.ReadWrite
	default:
		w.Lock = profile.Mutex
	}
	w.Addr = a
	id, ok := f.steady((a+threadIDOffset+7)&^7, 8)
	if !ok || id == 0 || !f.live(task.ThreadID(id)) || task.ThreadID(id) == t.ID && c.Args[3] != id {
		return
	}
	w.Owner = task.ThreadID(id)
}

// Of __ulock_wait (bsd/sys/ulock.h): the operation without its flags, and the
// one whose word names its owner.
const (
	ulockCommand = 0xff
	ulockUnfair  = 2 // UL_UNFAIR_LOCK
)

// portBits are set in every name of a port (osfmk/ipc/ipc_entry.h,
// ipc_entry_name_mask), and used for other things in a lock's word.
const portBits = 3

// ulock reads the word of an os_unfair_lock: the name, in the target's own
// space, of its holder's thread port (libplatform, src/os/lock.c). A thread
// never waits for one that it holds itself, which ends the program.
func (f *Finder) ulock(w *profile.Wait, c *call, t *task.Thread) {
	a := task.Addr(c.Args[1])
	if c.Args[0]&ulockCommand != ulockUnfair {
		w.Object = fmt.Sprintf("word %v", a)
		return
	}
	w.Lock, w.Addr = profile.UnfairLock, a
	word, ok := f.steady(a, 4)
	if !ok || word == 0 {
		return
	}
	if id := f.byPort(uint32(word) | portBits); id != t.ID {
		w.Owner = id
	}
}

// steady reads a number of 4 or 8 bytes that is the same twice.
func (f *Finder) steady(a task.Addr, size int) (uint64, bool) {
	first, err := task.ReadPointer(f.process.Memory(), a, size)
	again, errAgain := task.ReadPointer(f.process.Memory(), a, size)
	return uint64(first), err == nil && errAgain == nil && first == again
}

// machSelfSlot is __TSD_MACH_THREAD_SELF: where in a thread's own data, which
// its handle points to, the name of its port is (libplatform,
// private/os/tsd.h; osfmk/kern/thread.c, THREAD_IDENTIFIER_INFO).
const machSelfSlot = 3

// byPort finds a live thread by the name that the target has for its port; 0
// when no thread, or more than one, says that it is its.
func (f *Finder) byPort(name uint32) task.ThreadID {
	if f.ports == nil {
		f.readPorts()
	}
	return f.ports[name]
}

func (f *Finder) readPorts() {
	f.ports = map[uint32]task.ThreadID{}
	if f.handles == nil {
		return
	}
	size := f.info.Arch.PointerSize()
	for id := range f.names {
		handle, ok := f.handles.ThreadHandle(id)
		if !ok || handle == 0 {
			continue
		}
		v, err := task.ReadPointer(f.process.Memory(), handle+machSelfSlot*task.Addr(size), 4)
		if err != nil || v == 0 {
			continue
		}
		name := uint32(v) | portBits
		if _, taken := f.ports[name]; taken {
			id = 0
		}
		f.ports[name] = id
	}
}
