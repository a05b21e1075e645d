//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user, and a group, without rights.
const nobody = 65534

// publicDir makes a folder that other users reach, with a short name, for unix
// sockets may be in it.
func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "e2e")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// asNobody starts a command as a user without rights.
func asNobody(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}

// nobodys returns a function that runs stacksnap as a user without rights, from a
// folder that this one reaches. The test must be root.
func nobodys(t *testing.T) func(args ...string) result {
	t.Helper()
	own := filepath.Join(publicDir(t), "stacksnap")
	copyFile(t, stacksnap, own)
	return func(args ...string) result {
		cmd := asNobody(exec.Command(own, args...))
		var out, errOut strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errOut
		_ = cmd.Run()
		return result{out.String(), errOut.String(), cmd.ProcessState.ExitCode()}
	}
}
