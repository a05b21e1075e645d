//go:build !unix

package output

import "os/exec"

// ownGroup has the command lead a process group of its own; there is none here.
func ownGroup(*exec.Cmd) {}

// killGroup ends the command.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
