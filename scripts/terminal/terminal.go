// Package terminal makes pseudoterminals, in which tests and pictures run stacksnap as a
// person at a terminal does (pty(7)). It works on Linux.
package terminal

import (
	"errors"
	"io"
	"os/exec"
	"syscall"
)

// Run runs a command whose standard output and error are a terminal of that size, and
// returns what was written there. Lines end in \r\n.
func Run(cmd *exec.Cmd, columns, rows uint16) ([]byte, error) {
	ours, theirs, err := Open(columns, rows)
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	cmd.Stdout, cmd.Stderr = theirs, theirs
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, theirs.Close())
	}
	theirs.Close()
	text, err := io.ReadAll(ours)
	if err != nil && !errors.Is(err, syscall.EIO) { // what Linux returns when all have closed it
		return nil, errors.Join(err, cmd.Wait())
	}
	return text, cmd.Wait()
}
