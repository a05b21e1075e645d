package elfcore

import (
	"encoding/binary"
	"fmt"
	"sync"

	"stacksnap/task"
)

// signalNames are the signals by which Linux ends a process and writes its core
// (signal(7); the numbers are the same on all of our architectures).
var signalNames = sync.OnceValue(func() map[int32]string {
	return map[int32]string{
		3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
		11: "SIGSEGV", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
	}
})

// signal is what the notes say about the signal that a thread received.
type signal struct {
	number, code int32
	at           uint64 // address of a fault
	sender       int32  // pid of the sender, if it was sent
	told         bool   // there was a siginfo: code, at and sender are known
}

// Values of si_code (include/uapi/asm-generic/siginfo.h): with 0 or less the signal was sent;
// 128 is SI_KERNEL, which has no address.
const siKernel = 128

// codes are the reasons for faults, by signal and si_code. %#x is si_addr.
var codes = sync.OnceValue(func() map[int32]map[int32]string {
	return map[int32]map[int32]string{
		4: {
			1: "illegal opcode at %#x", 2: "illegal operand at %#x", 3: "illegal addressing mode at %#x",
			4: "illegal trap at %#x", 5: "privileged opcode at %#x", 6: "privileged register at %#x",
		},
		5: {1: "breakpoint", 2: "trace trap"},
		7: {
			1: "address %#x not aligned", 2: "address %#x has no memory behind it, as beyond the end of a mapped file",
			3: "hardware error at %#x", 4: "hardware memory error at %#x", 5: "hardware memory error at %#x",
		},
		8: {
			1: "integer division by zero at %#x", 2: "integer overflow at %#x", 3: "floating-point division by zero at %#x",
			4: "floating-point overflow at %#x", 5: "floating-point underflow at %#x", 6: "inexact floating-point result at %#x",
			7: "invalid floating-point operation at %#x",
		},
		11: {
			1: "address %#x not mapped", 2: "access to address %#x not permitted",
			4: "access to address %#x not permitted by a protection key",
		},
	}
})

// parseSignalInfo decodes a siginfo_t: { i32 signo, errno, code }, then, aligned to a word,
// si_addr for a fault, or i32 si_pid for a signal that was sent.
func parseSignalInfo(size int, b []byte) (signal, bool) {
	at := 12
	if size == 8 {
		at = 16
	}
	if len(b) < at+size {
		return signal{}, false
	}
	i32 := func(at int) int32 { return int32(binary.LittleEndian.Uint32(b[at:])) }
	return signal{number: i32(0), code: i32(8), at: word(b[at:], size), sender: i32(at), told: true}, true
}

// detail says why a signal was sent, as far as it is known.
func (s *signal) detail(self int) string {
	switch {
	case !s.told:
		return ""
	case s.code <= 0 && (s.number == 6 || s.code == siTKill) && int(s.sender) == self:
		return "raised by the process itself"
	case s.code <= 0 && s.sender > 0:
		return fmt.Sprintf("sent by process %d", s.sender)
	case s.code == siKernel && s.number == 11:
		return "an address that no process can have, or no access at all"
	}
	text := codes()[s.number][s.code]
	if text == "" || s.number == 5 {
		return text
	}
	return fmt.Sprintf(text, s.at)
}

// siTKill is SI_TKILL: sent to one thread, as abort and raise do.
const siTKill = -6

// crash returns the signal that ended the process. In a kernel's core that is the first thread's
// signal. In gcore's it is that of the only thread with a signal. It is nil if no thread has a
// signal that ends the process.
func (p *Process) crash() *task.Crash {
	for i := range p.threads {
		t := &p.threads[i]
		name, ends := signalNames()[t.signal.number]
		if ends {
			return &task.Crash{Signal: name, Detail: t.signal.detail(p.info.PID), Thread: t.id}
		}
	}
	return nil
}
