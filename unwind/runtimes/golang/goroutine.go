package golang

import (
	"strings"
	"time"

	"stacksnap/task"
)

// Goroutine is a goroutine that no thread runs.
type Goroutine struct {
	ID      uint64
	Wait    string        // what it waits in, in the runtime's words
	Since   time.Duration // when it began to wait, by the target's monotonic clock; 0: not known
	System  bool          // of the runtime itself
	Creator task.Addr     // return address of the go statement; 0: not known
}

// state is what is read of a goroutine both before and after its stack. It is comparable.
type state struct {
	low, high      task.Addr // bounds of its stack
	sp, pc, lr, bp uint64
	status         status
	reason         uint8
	id             uint64
	creator, start task.Addr
	waiting        task.Addr // the list of the channels that it waits for
}

// maxStack is the largest stack that Go's runtime allows, in bytes (runtime.maxstackceiling).
const maxStack = 2 << 30

// decode reads the fields of the goroutine at an address. It returns false if they are not
// those of a goroutine.
func (l *layout) decode(w words, at task.Addr) (state, bool) {
	s := state{
		low: w.addr(stackLow), high: w.addr(stackHigh),
		sp: w.word(l.sp), pc: w.word(l.pc), lr: w.word(l.lr), bp: w.word(l.bp),
		status: status(w.u32(l.status) &^ scanned), reason: w[l.reason],
		id: w.word(l.id), creator: w.addr(l.creator), start: w.addr(l.start), waiting: w.addr(l.waiting),
	}
	if s.status.isNone() || s.status.isThread() {
		return s, true
	}
	isStack := s.low < s.high && s.high-s.low <= maxStack
	return s, isStack && w.addr(l.self) == at && task.Addr(s.sp) >= s.low && task.Addr(s.sp) <= s.high && stateNames[s.status] != ""
}

// registers returns the registers with which the goroutine will continue.
func (s *state) registers(a task.Arch) task.Registers {
	regs := task.Registers{Arch: a}
	regs.Set(a.PC(), s.pc)
	regs.Set(a.SP(), s.sp)
	regs.Set(a.FP(), s.bp)
	if lr, ok := a.LR(); ok {
		regs.Set(lr, s.lr)
	}
	return regs
}

// helpers are entry functions of the runtime's goroutines that call functions of the program.
// Such a goroutine counts as the runtime's own only while it waits for work, with this reason.
var helpers = map[string]string{
	"runtime.runfinq": "finalizer wait", "runtime.runFinalizers": "finalizer wait", "runtime.runCleanups": "cleanup wait",
}

// users are functions of the runtime that are entry functions of the program's goroutines
// (runtime.isSystemGoroutine).
var users = map[string]bool{"runtime.main": true, "runtime.corostart": true, "runtime.handleAsyncEvent": true}

// isSystem reports whether a goroutine with an entry function is the runtime's own.
func (r *Runtime) isSystem(start task.Addr, wait string) bool {
	sym, ok := r.image.File.Symbol(r.image.VMAddr(start))
	name := strings.TrimSuffix(sym.Name, ".abi0")
	if !ok || users[name] || !strings.HasPrefix(name, "runtime.") {
		return false
	}
	usual, helps := helpers[name]
	return !helps || wait == usual
}
