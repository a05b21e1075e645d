//go:build unix

package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// Size returns the columns and lines of a terminal, 0 if they are unknown.
func Size(terminal *os.File) (columns, lines int) {
	size, err := unix.IoctlGetWinsize(int(terminal.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}
