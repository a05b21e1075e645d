//go:build !unix

package output

import "os/exec"

// ownGroup does nothing, as this system has no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup kills the command.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
