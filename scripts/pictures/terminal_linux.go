package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// onTerminal runs a command on a terminal of its own, and returns what it wrote there.
// The terminal keeps line ends as they are.
func onTerminal(cmd *exec.Cmd, columns, lines uint16) ([]byte, error) {
	ours, theirs, err := openTerminal(columns, lines)
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
		return nil, err
	}
	return text, cmd.Wait()
}

// openTerminal makes a terminal of a size: the side that reads what is shown, and the
// one that programs write to.
func openTerminal(columns, lines uint16) (ours, theirs *os.File, err error) {
	ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(ours.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: lines, Col: columns})
	}
	if err == nil {
		theirs, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, ours.Close())
	}
	return ours, theirs, nil
}
