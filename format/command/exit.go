package command

import (
	"errors"
	"strconv"

	"stacksnap/format/command/cli"
	"stacksnap/task"
	"stacksnap/task/live"
)

// The exit codes, as the manual lists them (exit.md). The exit status of a program that was
// launched is passed on unchanged.
const (
	exitOK           = 0
	exitFailure      = 1
	exitUsage        = 2
	exitNoProcess    = 3
	exitNotPermitted = 4
	exitTargetExited = 5
)

// exitStatus is the exit status of a program that was launched.
type exitStatus int

func (s exitStatus) Error() string { return "exit status " + strconv.Itoa(int(s)) }

// exitCode returns the exit code for an error.
func exitCode(err error) int {
	var (
		status exitStatus
		launch *live.LaunchError
	)
	switch {
	case err == nil:
		return exitOK
	case is[cli.UsageError](err):
		return exitUsage
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &launch):
		return launch.Code
	case is[*task.NoProcessError](err), is[*live.NoNameError](err):
		return exitNoProcess
	case is[*task.PermissionError](err):
		return exitNotPermitted
	case is[*task.ExitedError](err):
		return exitTargetExited
	}
	return exitFailure
}

// is reports whether err is or wraps an error of type T.
func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
