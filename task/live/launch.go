package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// Launched is a program that was started in order to be captured.
type Launched struct {
	PID     int
	process *os.Process
}

// The exit codes of a shell for a program that it cannot start (POSIX, Shell
// Command Language, 2.8.2).
const (
	exitCannotRun = 126
	exitNotFound  = 127
	exitSignaled  = 128 // plus the signal's number
)

// LaunchError says that a program could not be started.
type LaunchError struct {
	Program string
	Code    int // the exit code of a shell in this case: 126 or 127
	Err     error
}

func (e *LaunchError) Error() string {
	if e.Code == exitNotFound {
		return fmt.Sprintf("%s: no such program", e.Program)
	}
	hint := ""
	if errors.Is(e.Err, errNoExec) {
		hint = " (a script must begin with #! and its interpreter)"
	}
	return fmt.Sprintf("%s cannot be started: %v%s", e.Program, e.Err, hint)
}

func (e *LaunchError) Unwrap() error { return e.Err }

// Launch starts a program, found as a shell finds it, with these standard input, output and
// error. It returns when exec has succeeded: the program may have run its first instructions.
// argv has at least the program's name. The error is a *[LaunchError].
//
// The program is in our process group, so that a terminal's Ctrl-C and Ctrl-Z reach both, and it
// runs on if we die. Only Finish may wait for the program: any other wait could consume one of
// our tracer's stops, which Linux also reports to a traced process's parent.
func Launch(argv []string, stdio [3]*os.File) (*Launched, error) {
	path, err := exec.LookPath(argv[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return nil, launchError(argv[0], err)
	}
	p, err := os.StartProcess(path, argv, &os.ProcAttr{Files: stdio[:]})
	if err != nil {
		return nil, launchError(argv[0], err)
	}
	awaitExec(p.Pid)
	return &Launched{p.Pid, p}, nil
}

func launchError(program string, err error) error {
	code := exitCannotRun
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) && !isThere(program) {
		code = exitNotFound
	}
	var outer *exec.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return &LaunchError{program, code, err}
}

// isThere reports whether the file exists: then exec did not find the script's interpreter or
// the program's loader.
func isThere(program string) bool {
	_, err := os.Stat(program)
	return err == nil
}

// Finish waits until the program ends and returns its status as a shell reports it: its exit
// code, or 128 plus the number of the signal that ended it. It is called once, after the process
// that [Open] returned was closed.
func (l *Launched) Finish() (int, error) {
	state, err := l.process.Wait()
	if err != nil {
		return 0, fmt.Errorf("wait for pid %d: %w", l.PID, err)
	}
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return exitSignaled + int(w.Signal()), nil
	}
	return state.ExitCode(), nil
}
