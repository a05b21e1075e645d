// Package python describes what threads of CPython wait for in the terms of Python's library, by
// the functions of the library and of the interpreter on their stacks.
package python

import (
	"slices"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
	"stacksnap/format/profile/waits"
)

// Wait returns what a thread waits for in the terms of Python's library, such as "for a
// threading.Lock" or "in Queue.get". It is empty if the thread waits in no known function of
// that library, or in several.
func Wait(t *profile.Thread, w *profile.Wait) string {
	says := waitIn(w, t.Heaviest())
	if says == "" {
		return ""
	}
	awake := 0 // samples that found it elsewhere, as when it was not waiting
	if t.Together == nil {
		awake = t.Samples / awakeShare
	}
	if elsewhere(w, says, t.Roots, nil) > awake {
		return ""
	}
	return says
}

// IsLock reports whether a result of [Wait] is a wait for a lock that another thread unlocks.
func IsLock(wait string) bool {
	switch wait {
	case blockers[inLock], blockers[inRLock], blockers[inAnyLock], conditionLock, moduleLock:
		return true
	}
	return false
}

// HasNoHolder reports whether a result of [Wait] is a wait for a lock that does not record its
// holder.
func HasNoHolder(wait string) bool { return wait == blockers[inLock] }

// awakeShare: one in this many samples of a thread may be outside its constant wait.
const awakeShare = 50

// elsewhere counts the samples whose stacks show another wait than says, or none.
func elsewhere(w *profile.Wait, says string, nodes, path []*profile.Node) (n int) {
	for _, node := range nodes {
		stack := append(path, node) // siblings take its place
		if node.Self > 0 && waitIn(w, stack) != says {
			n += node.Self
		}
		n += elsewhere(w, says, node.Children, stack)
	}
	return n
}

// waitIn is Wait for one stack, which begins with the outermost frame.
func waitIn(w *profile.Wait, stack []*profile.Node) string {
	inner := lastManaged(stack)
	if inner < 0 || w.Lock != profile.NoLock || w.Peer.PID != 0 {
		return ""
	}
	in := blockerOf(w, stack[inner+1:])
	best, says := 0, blockers[in]
	for i := range known {
		p := &known[i]
		if slices.Contains(p.in, in) && len(p.calls) > best && p.ends(stack[:inner+1]) {
			best, says = len(p.calls), p.says
		}
	}
	return says
}

// lastManaged returns the index of the innermost frame of a Python function; -1 if there is none.
func lastManaged(stack []*profile.Node) int {
	for i, n := range slices.Backward(stack) {
		if n.Image.IsCPython() {
			return i
		}
	}
	return -1
}

// blocker is the part of the interpreter, or the system call, in which a Python function waits.
type blocker uint8

const (
	noBlocker blocker = iota
	inLock
	inRLock
	inAnyLock // one of the two, or another lock: the interpreter's symbols do not show which
	inMutex   // what all locks from 3.14 on are built on, and others that Python code does not see
	inJoin
	inSemaphore
	inSimpleQueue
	inRead
	inChildWait
)

// blockers describes each blocker, for waits that no known Python function called.
var blockers = map[blocker]string{
	inLock:        "for a threading.Lock",
	inRLock:       "for a threading.RLock",
	inAnyLock:     "for a Python lock",
	inJoin:        "for a thread to end",
	inSemaphore:   "for a lock or semaphore of multiprocessing",
	inSimpleQueue: "in SimpleQueue.get",
}

// blockerFunctions are the functions of CPython that wait, by version (Modules/_threadmodule.c,
// _queuemodule.c, _multiprocessing/semaphore.c).
var blockerFunctions = map[string]blocker{
	"lock_PyThread_acquire_lock": inLock, "_thread_lock_acquire": inLock, "_thread_lock_acquire_impl": inLock,
	"_thread_lock___enter__": inLock, "_thread_lock___enter___impl": inLock,
	"rlock_acquire": inRLock, "rlock_acquire_restore": inRLock, "_thread_RLock_acquire": inRLock,
	"_thread_RLock_acquire_impl": inRLock, "_thread_RLock___enter__": inRLock, "_thread_RLock___enter___impl": inRLock,
	"PyThread_acquire_lock_timed": inAnyLock, "_PyMutex_LockTimed": inMutex, "_PySemaphore_Wait": inMutex,
	"ThreadHandle_join": inJoin, "PyThreadHandleObject_join": inJoin, "thread_shutdown": inJoin,
	"semlock_acquire": inSemaphore, "_multiprocessing_SemLock_acquire": inSemaphore, "_multiprocessing_SemLock___enter__": inSemaphore,
	"_multiprocessing_SemLock_acquire_impl": inSemaphore, "_multiprocessing_SemLock___enter___impl": inSemaphore,
	"_queue_SimpleQueue_get": inSimpleQueue, "_queue_SimpleQueue_get_impl": inSimpleQueue,
}

// gilFunctions wait for the GIL, also when a function that called them already has what it
// waited for.
var gilFunctions = []string{"take_gil", "PyEval_RestoreThread", "PyEval_AcquireThread", "PyEval_AcquireLock", "PyGILState_Ensure"}

// blockerOf returns the blocker of the native frames that the innermost Python function called.
func blockerOf(w *profile.Wait, native []*profile.Node) (in blocker) {
	for _, n := range native {
		name, _, _ := strings.Cut(n.Function, ".") // without the suffix of a part that the compiler split off
		if slices.Contains(gilFunctions, name) {
			return noBlocker
		}
		if in == noBlocker {
			in = blockerFunctions[name]
		}
	}
	switch {
	case in != noBlocker && !waits.IsParked(w):
		return noBlocker // it is a page fault
	case in == noBlocker && waits.IsForChild(w):
		return inChildWait
	case in == noBlocker && w.Call == "read":
		return inRead
	}
	return in
}

// ends reports whether the stack's innermost frames are the calls of p.
func (p *wait) ends(stack []*profile.Node) bool {
	if len(stack) < len(p.calls) {
		return false
	}
	for i, n := range stack[len(stack)-len(p.calls):] {
		if !isCall(n, p.calls[i]) {
			return false
		}
	}
	return true
}

// isCall reports whether a frame is a function of Python's library, given by its file and its
// qualified name. Up to 3.10 a frame has only the last part of the name.
func isCall(n *profile.Node, call string) bool {
	file, name, _ := strings.Cut(call, ":")
	if !strings.HasSuffix(n.File, file) || owncode.Is(&n.Location) {
		return false
	}
	return n.Function == name || n.Function == name[strings.LastIndexByte(name, '.')+1:]
}
