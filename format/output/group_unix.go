//go:build unix

package output

import (
	"os/exec"
	"syscall"
)

// ownGroup has the command lead a process group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends the command's group, whose number it keeps until it was waited
// for.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
