//go:build linux

package procfs

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// Open opens a running process for reading, given its pid or the id of one of its threads. It
// needs the same permission as stopping. The error may be a *[task.NoProcessError] or a
// *[task.PermissionError].
func Open(pid int) (*Process, error) { return openWith(pid, (*Process).openAll) }

// Look opens a process that is never stopped, see [task.Limits]. If something may not be read,
// that is an error of each thread, not of Look.
func Look(pid int) (*Process, error) { return openWith(pid, (*Process).openToLook) }

func openWith(pid int, openAll func(*Process, int) error) (*Process, error) {
	p, err := open(pid, openAll)
	for try := 1; isBetween(p, err) && try < openTries; try++ {
		if err == nil {
			p.Close()
		}
		time.Sleep(openPause)
		p, err = open(pid, openAll)
	}
	return p, err
}

// A process that calls exec has no memory for a moment, or has other memory than when it was
// opened.
const (
	openTries = 10
	openPause = time.Millisecond
)

// isBetween reports whether a process that was opened may be in exec, or about to call it.
func isBetween(p *Process, err error) bool {
	return errors.As(err, new(noMemoryError)) || err == nil && p.Mem.vfork != nil
}

// noMemoryError is returned for a process that may be between two programs.
type noMemoryError struct{ *task.NoProcessError }

func (e noMemoryError) Unwrap() error { return e.NoProcessError }

func open(pid int, openAll func(*Process, int) error) (*Process, error) {
	p := &Process{
		dir: Dir{-1}, live: Dir{-1}, maps: -1, stat: -1,
		Mem: Memory{file: -1, pages: newResidency(), Chunk: usualChunk}, Files: ThreadFiles{Dir: Dir{-1}},
	}
	if err := openAll(p, pid); err != nil {
		p.Close()
		return nil, err
	}
	p.exited = &task.ExitedError{PID: p.PID, Err: errReplaced}
	p.facts = p.learn()
	p.Mem.faults.refill()
	return p, nil
}

var errReplaced = errors.New("it has ended or called exec")

func (p *Process) openAll(pid int) error {
	if err := p.openProcess(pid); err != nil {
		return err
	}
	if err := p.openLive(); err != nil {
		return err
	}
	return p.openMemory()
}

// openToLook opens what may be opened, and prepares nothing for a stop.
func (p *Process) openToLook(pid int) error {
	p.Mem.pages.late = true
	err := p.openAll(pid)
	if p.live.fd >= 0 && errors.As(err, new(*task.PermissionError)) {
		p.sealed, err = err, nil
	}
	return err
}

// openProcess finds the process with the number pid, or with a thread of that number.
func (p *Process) openProcess(pid int) error {
	if pid <= 0 {
		return &task.NoProcessError{PID: pid, Reason: "is not the number of a process"}
	}
	dir, err := OpenDir(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return noDirectory(pid, err)
	}
	p.dir = dir
	p.PID = pid
	status, err := dir.read("status")
	if err != nil {
		return noDirectory(pid, err)
	}
	leader := statusNumber(status, "Tgid:")
	if leader == os.Getpid() {
		return &task.NoProcessError{PID: pid, Reason: "is stacksnap itself, which cannot stop itself"}
	}
	if leader != pid && leader != 0 {
		dir.Close()
		p.dir.fd = -1
		return p.openProcess(leader)
	}
	return nil
}

// noDirectory returns why /proc/PID cannot be opened.
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

// openLive opens the directory of a thread that has not ended. The first thread may have ended
// while others go on.
func (p *Process) openLive() error {
	dir, err := openDirAt(p.dir.fd, "task")
	if err != nil {
		return &task.NoProcessError{PID: p.PID}
	}
	p.Files.Dir = dir
	for _, tid := range dir.Numbers() {
		s, err := parseStat(p.Files.read(tid))
		switch {
		case err != nil || threadState(s.state) == task.Ended:
			continue
		case s.flags&kernelThread != 0:
			return &task.NoProcessError{PID: p.PID, Reason: "is a kernel thread, which has no user stack"}
		}
		if p.live, err = openDirAt(dir.fd, strconv.Itoa(tid)); err == nil {
			p.Mem.TID, p.folder = tid, fmt.Sprintf("/proc/%d/task/%d", p.PID, tid)
			return nil
		}
	}
	return &task.NoProcessError{PID: p.PID, Reason: p.zombie()}
}

// zombie returns why a process that has ended still exists.
func (p *Process) zombie() string {
	s, ok := p.dir.stat()
	if !ok || s.parent == 0 {
		return "is a zombie (it has already ended)"
	}
	parent := strconv.Itoa(s.parent)
	if name := processName(s.parent); name != "" {
		parent += " (" + name + ")"
	}
	return "is a zombie (it has already ended, and its parent, pid " + parent + ", has not waited for it)"
}

// openMemory opens the files for which the kernel requires the same permission as for ptrace, so
// that a refusal is known before anything is stopped.
func (p *Process) openMemory() (err error) {
	if p.stat, err = p.dir.open("stat"); err != nil {
		return p.refused("stat", err)
	}
	if s, ok := p.dir.stat(); ok && s.borrows(p.PID) { // checked before the memory is opened, which may be another's by then
		p.Mem.vfork = &vforkMemory{stat: p.stat}
	}
	if p.Mem.file, err = p.live.open("mem"); err != nil {
		return p.refused("mem", err)
	}
	if p.maps, err = p.live.open("maps"); err != nil {
		return p.refused("maps", err)
	}
	if p.Mem.pages.pagemap, err = p.live.open("pagemap"); err != nil {
		p.Mem.pages.pagemap = -1 // not every kernel has the file
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
	p.table.isUsed = !p.query.answers(p.maps)
	if p.mapsText.Len() == 0 {
		return noMemoryError{&task.NoProcessError{PID: p.PID, Reason: "has no memory of its own: it is ending, or no user process"}}
	}
	return nil
}

func (p *Process) refused(file string, err error) error {
	switch {
	case isGone(err), isDenied(err) && (p.live.isEnding() || p.IsEnding()):
		return p.ending()
	case isDenied(err):
		return p.Refusal(fmt.Sprintf("open /proc/%d/%s", p.PID, file), err)
	}
	return fmt.Errorf("open /proc/%d/%s: %w", p.PID, file, err)
}

// exiting is PF_EXITING (include/linux/sched.h): the thread has begun to end.
const exiting = 0x00000004

// IsEnding reports whether the process has ended or is about to: all of its threads are. The
// files of such a process belong to root (fs/proc/base.c, task_dump_owner), so that opening them
// is refused as if the process were protected.
func (p *Process) IsEnding() bool {
	if !p.dir.isEnding() {
		return false
	}
	dir, err := openDirAt(p.dir.fd, "task")
	if err != nil {
		return true
	}
	defer dir.Close()
	for _, tid := range dir.Numbers() {
		thread, err := openDirAt(dir.fd, strconv.Itoa(tid))
		if err != nil {
			continue
		}
		ends := thread.isEnding()
		thread.Close()
		if !ends {
			return false
		}
	}
	return true
}

// isEnding reports whether a thread has ended or is about to.
func (d Dir) isEnding() bool {
	s, ok := d.stat()
	return !ok || s.flags&exiting != 0 || threadState(s.state) == task.Ended
}

// ending returns the error for a process that could not be opened because it ends. Perhaps only
// the thread ends through which it was to be read.
func (p *Process) ending() error {
	return noMemoryError{&task.NoProcessError{PID: p.PID, Reason: "has ended, or is ending"}}
}
