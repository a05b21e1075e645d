package mach

import (
	"time"

	"stacksnap/task"
)

// Darling (darlinghq/darlingserver, darling-xnu) answers the same calls as XNU,
// but for these differences, which cost more than a fact:
//
//   - task_suspend sends each thread a signal and does not wait. A thread has a
//     state only once it has taken the signal (duct-tape/src/thread.c,
//     thread_hold). One that is let run before that, while it waits in the
//     server, is woken there without a reason; and a wake-up may be lost on a
//     thread that is just going to rest (Thread::resume,
//     dtape_thread_wait_while_user_suspended).
//   - task_info(TASK_DYLD_INFO) waits until the program's loader has told, which
//     a process that was forked and calls no exec never does, and which the task
//     of before an exec never gets (duct-tape/src/task.c, task_info).
//   - A read that begins in a page that is mapped and ends in one that is not
//     succeeds, and gives anything for the rest (src/process.cpp,
//     _readOrWriteMemory, takes a short process_vm_readv for a whole one).
//   - What is mapped for writing and execution is told as not writable
//     (duct-tape/src/memory.c, mach_vm_region).
//   - A question that it does not know is told on standard output, where our
//     report goes, or ends the server.
const (
	restStep = 500 * time.Microsecond

	loaderPatience = 500 * time.Millisecond // for the loader to tell
	loaderStep     = 5 * time.Millisecond

	wakeTries = 2
	wakePause = 5 * time.Millisecond // in which a thread that was let run is running
)

// isXNU tells from the answer of task_read_for_pid whether the kernel is one of
// a macOS that Go programs run on: it knows the call, and these are its answers
// (bsd/kern/kern_proc.c, task_read_for_pid).
func isXNU(answer Errno) bool {
	switch answer {
	case ok, notPermitted, noProcess, interrupted, accessDenied, invalid:
		return true
	}
	return false
}

// loader asks where dyld describes what it has loaded.
func (p *Process) loader() dyldInfo {
	if p.isXNU {
		return p.askLoader()
	}
	p.awaitProgram()
	answer := make(chan dyldInfo, 1)
	go func(k kernel, t port) { answer <- askLoader(k, t) }(p.k, p.task)
	select {
	case info := <-answer:
		return info
	case <-time.After(loaderPatience):
		return dyldInfo{} // whoever asked is left waiting
	}
}

func (p *Process) askLoader() dyldInfo { return askLoader(p.k, p.task) }

func askLoader(k kernel, t port) dyldInfo {
	info, r := k.dyldInfo(t)
	if r != success {
		return dyldInfo{}
	}
	return info
}

// awaitProgram waits until a process that was just started has its program,
// whose path the loader tells after all else (darling, src/startup/mldr/mldr.c).
// Its task is another one then.
func (p *Process) awaitProgram() {
	waited := time.Duration(0)
	for ; waited < loaderPatience; waited += loaderStep {
		if file, e := p.k.path(p.pid); e == ok && file != "" {
			break
		}
		p.k.pause(loaderStep)
	}
	if waited == 0 {
		return
	}
	if now, r := p.k.taskForPID(p.pid); r == success && now.valid() {
		p.giveBack(p.task)
		p.task = now
	}
}

// awaitRest waits, in a stop, until the listed threads have states, all of them
// together for as long as patience lasts.
func (p *Process) awaitRest() {
	layout := stateLayout(p.info.Arch)
	if p.isXNU || layout == nil {
		return
	}
	for i := range p.held {
		h := &p.held[i]
		h.restless = !p.comesToRest(h, layout)
	}
	p.patience = 0 // all had their time
}

func (p *Process) comesToRest(h *held, layout *layoutOf) bool {
	for !p.rests(h.port, layout) {
		if h.restless || p.patience <= 0 {
			return false
		}
		p.patience -= restStep
		p.k.pause(restStep)
	}
	return true
}

// rests tells whether a thread has a state, or will have none for another reason.
func (p *Process) rests(name port, layout *layoutOf) bool {
	words := p.words[:layout.words]
	n, r := p.k.state(name, layout.flavor, words)
	if r != success {
		return r != aborted
	}
	for _, w := range words[:n] {
		if w != 0 {
			return true
		}
	}
	return false
}

// readReadable is readPrefix that sees to it that a read ends where a page can be
// read.
func (p *Process) readReadable(b []byte, a task.Addr) (int, Return) {
	page := p.pageSize()
	last := (uint64(a) + uint64(len(b)) - 1) &^ (page - 1)
	if p.isXNU || len(b) == 0 || last <= uint64(a) {
		return p.readPrefix(b, a)
	}
	if _, r := p.k.read(p.task, b[:1], task.Addr(last)); r == success {
		return p.readPrefix(b, a)
	}
	for n := 0; ; {
		part := b[n:min(len(b), n+int(page-(uint64(a)+uint64(n))%page))]
		got, r := p.readPrefix(part, a+task.Addr(n))
		if n += got; got < len(part) || n == len(b) {
			return n, r
		}
	}
}

// mayBeStack tells whether a region that does not seem to be a stack may yet be
// one.
func (p *Process) mayBeStack(r *region) bool {
	return !p.isXNU && r.prot == task.Read|task.Execute
}

// letItRun gives a target at least as long to run as it was stopped before: a
// stop may take longer than the interval at which it is sampled. It is done
// before the threads are listed for a stop, so that it does not count as one.
func (p *Process) letItRun() {
	if p.isXNU || p.stopped || p.stopEnded == 0 {
		return
	}
	ran := p.k.uptime() - p.stopEnded
	if left := min(p.stopEnded-p.stopBegan, maxPatience) - ran; left > 0 {
		p.k.pause(left)
	}
}

// noteRun notes when a stop ended.
func (p *Process) noteRun() {
	if !p.isXNU {
		p.stopEnded = p.k.uptime()
	}
}

// wakeLost stops and resumes the target again if one of its threads still rests
// although it was let run.
func (p *Process) wakeLost() {
	if p.isXNU || p.stopEnded == 0 || p.stopped {
		return
	}
	for range wakeTries {
		p.k.pause(wakePause)
		if !p.oneRests() || p.k.suspend(p.task) != success {
			return
		}
		p.stopped, p.patience = true, maxPatience
		p.awaitRest()
		if p.letRun() != nil {
			return
		}
	}
}

// oneRests tells whether a thread stands, by no hold of its own.
func (p *Process) oneRests() bool {
	for _, h := range p.held {
		if info, r := p.k.basic(h.port); r == success && state(info.runState) == task.Stopped && info.suspendCount == 0 {
			return true
		}
	}
	return false
}

// listPIDs asks for the numbers of all processes.
func listPIDs(k kernel) ([]int, Errno) {
	if k.isDarling() {
		return nil, notSup
	}
	return k.pids()
}

// inDarling corrects what is told of a process there: only those of Darling,
// which have 64 bits, have flags, not the host's; and a program has a path when
// its loader has run.
func inDarling(c task.Candidate, b bsdInfo) task.Candidate {
	if b.flags == 0 {
		return task.Candidate{}
	}
	c.Forked = c.Path == ""
	return c
}

// isExiting tells whether a process is about to end. Darling sets P_LP64 of
// p_flag (bsd/sys/proc.h) for PROC_FLAG_LP64, which is the bit of
// PROC_FLAG_INEXIT (darling-xnu, emulation/src/xnu_syscall/bsd/impl/misc/proc_info.c).
// No macOS that Go programs run on has 32-bit processes.
func (b bsdInfo) isExiting() bool {
	const both = flagExiting | flagLP64
	return b.flags&both == both
}

// is32 tells whether a process is of 32 bits, by either system's flags.
func (b bsdInfo) is32() bool { return b.flags&(flagExiting|flagLP64) == 0 }
