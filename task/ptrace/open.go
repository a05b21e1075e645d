//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// Open makes a running process ready to be read. It attaches to nothing yet,
// and stops nothing. The id of a thread stands for its process. The error is a
// *[task.NoProcessError] or a *[task.PermissionError] where that is the reason.
func Open(pid int) (*Process, error) { return openWith(pid, (*Process).openAll) }

// Look is Open of a process of which nothing is to be stopped, see [task.LeaveAll].
// What may not be read of it is told with each thread.
func Look(pid int) (*Process, error) { return openWith(pid, (*Process).openToLook) }

func openWith(pid int, openAll func(*Process, int) error) (*Process, error) {
	runtime.LockOSThread()
	p, err := open(pid, openAll)
	for try := 1; isBetween(p, err) && try < openTries; try++ {
		if err == nil {
			_ = p.Close() // nothing was attached
			runtime.LockOSThread()
		}
		pause(openPause)
		p, err = open(pid, openAll)
	}
	if err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	return p, nil
}

// A process that calls exec is without memory for a moment, or has other memory
// than when it was opened.
const (
	openTries = 10
	openPause = time.Millisecond
)

// isBetween tells whether a process that was opened may be about to call exec, or
// within it.
func isBetween(p *Process, err error) bool {
	return errors.As(err, new(noMemoryError)) || err == nil && p.mem.loan != nil
}

// noMemoryError is about a process that may be between two programs.
type noMemoryError struct{ *task.NoProcessError }

func (e noMemoryError) Unwrap() error { return e.NoProcessError }

func open(pid int, openAll func(*Process, int) error) (*Process, error) {
	p := &Process{
		maxStop: task.DefaultMaxStop, tracer: unix.Gettid(), process: procDir{-1}, live: procDir{-1}, maps: -1, stat: -1,
		mem: memory{file: -1, pages: newPresence(), chunk: usualChunk}, threads: threadTable{dir: -1},
	}
	p.resumeFunc = p.resume
	if err := openAll(p, pid); err != nil {
		p.closeFiles()
		return nil, err
	}
	if !p.leaves {
		p.raisePriority()
		p.alarm.setUp(p.tracer)
		p.rescue.watchOver(p.pid)
		p.mem.pages.refill()
		p.threads.spare = spareThreads
	}
	p.exited = &task.ExitedError{PID: p.pid, Err: errReplaced}
	p.facts = p.learn()
	p.mem.faults.refill()
	p.threads.grow(0)
	return p, nil
}

func (p *Process) openAll(pid int) error {
	if err := p.openProcess(pid); err != nil {
		return err
	}
	if err := p.openLive(); err != nil {
		return err
	}
	status, err := p.process.read("status")
	if err != nil {
		return &task.NoProcessError{PID: p.pid}
	}
	p.ownChild = statusNumber(status, "PPid:") == os.Getpid()
	return p.openMemory()
}

// openToLook opens what may be opened. Nothing is prepared for a stop.
func (p *Process) openToLook(pid int) error {
	p.LeaveAll()
	p.mem.pages.late = true
	err := p.openAll(pid)
	if p.live.fd >= 0 && errors.As(err, new(*task.PermissionError)) {
		p.sealed, err = err, nil
	}
	return err
}

// openProcess finds the process that pid is, or is a thread of.
func (p *Process) openProcess(pid int) error {
	if pid <= 0 {
		return &task.NoProcessError{PID: pid, Reason: "is not the number of a process"}
	}
	dir, err := openProc(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return noDirectory(pid, err)
	}
	p.process = dir
	p.pid = pid
	status, err := dir.read("status")
	if err != nil {
		return noDirectory(pid, err)
	}
	leader := statusNumber(status, "Tgid:")
	if leader == os.Getpid() {
		return &task.NoProcessError{PID: pid, Reason: "is stacksnap itself, which cannot stop itself"}
	}
	if leader != pid && leader != 0 {
		dir.close()
		p.process.fd = -1
		return p.openProcess(leader)
	}
	return nil
}

// noDirectory says why /proc/PID cannot be opened.
func noDirectory(pid int, err error) error {
	if isDenied(err) || unix.Kill(pid, 0) == unix.EPERM {
		return &task.PermissionError{
			PID: pid, Asked: fmt.Sprintf("open /proc/%d: %v", pid, err), Err: err,
			Remedy: fmt.Sprintf("run sudo stacksnap -p %d", pid) + ", for /proc is mounted so that it hides other users' processes",
		}
	}
	if unix.Kill(pid, 0) == nil {
		return fmt.Errorf("pid %d exists, but /proc/%d cannot be opened (is /proc mounted?): %w", pid, pid, err)
	}
	return &task.NoProcessError{PID: pid}
}

// openLive opens the directory of a thread that has not ended: the first one
// may have, while others go on.
func (p *Process) openLive() error {
	dir, err := openDirAt(p.process.fd, "task")
	if err != nil {
		return &task.NoProcessError{PID: p.pid}
	}
	p.threads.dir, p.stats.dir = dir.fd, dir.fd
	for _, tid := range dir.numbers() {
		s, err := parseStat(p.stats.read(tid))
		switch {
		case err != nil || threadState(s.state) == task.Ended:
			continue
		case s.flags&kernelThread != 0:
			return &task.NoProcessError{PID: p.pid, Reason: "is a kernel thread, which has no user stack"}
		}
		if p.live, err = openDirAt(dir.fd, strconv.Itoa(tid)); err == nil {
			p.mem.tid, p.folder = tid, fmt.Sprintf("/proc/%d/task/%d", p.pid, tid)
			return nil
		}
	}
	return &task.NoProcessError{PID: p.pid, Reason: p.zombie()}
}

// zombie says why a process is there still that has ended.
func (p *Process) zombie() string {
	s, ok := p.process.stat()
	if !ok || s.parent == 0 {
		return "is a zombie (it has already ended)"
	}
	parent := strconv.Itoa(s.parent)
	if name := processName(s.parent); name != "" {
		parent += " (" + name + ")"
	}
	return "is a zombie (it has already ended, and its parent, pid " + parent + ", has not waited for it)"
}

// openMemory opens the files for which the kernel asks the same permission as
// for ptrace, so that a refusal is known before anything is touched.
func (p *Process) openMemory() (err error) {
	if p.stat, err = p.process.open("stat"); err != nil {
		return p.refused("stat", err)
	}
	if s, ok := p.process.stat(); ok && s.borrows(p.pid) { // asked before the memory, which may be another's by then
		p.mem.loan = &loan{stat: p.stat}
	}
	if p.mem.file, err = p.live.open("mem"); err != nil {
		return p.refused("mem", err)
	}
	if p.maps, err = p.live.open("maps"); err != nil {
		return p.refused("maps", err)
	}
	if p.mem.pages.pagemap, err = p.live.open("pagemap"); err != nil {
		p.mem.pages.pagemap = -1 // not every kernel has it
	}
	return p.readFirstMaps()
}

func (p *Process) readFirstMaps() error {
	switch err := p.readMaps(); {
	case isGone(err):
		return p.ending()
	case err != nil:
		return err
	}
	p.mapped.isUsed = !p.query.answers(p.maps)
	if p.mapsBuf.Len() == 0 {
		return noMemoryError{&task.NoProcessError{PID: p.pid, Reason: "has no memory of its own: it is ending, or no user process"}}
	}
	return nil
}

func (p *Process) refused(file string, err error) error {
	switch {
	case isGone(err), isDenied(err) && (p.live.isEnding() || p.isEnding()):
		return p.ending()
	case isDenied(err):
		return refusal(p.pid, p.process, fmt.Sprintf("open /proc/%d/%s", p.pid, file), err)
	}
	return fmt.Errorf("open /proc/%d/%s: %w", p.pid, file, err)
}

func isDenied(err error) bool { return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) }
