//go:build unix

package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// Width returns how many columns a terminal has, 0 where it does not tell.
func Width(terminal *os.File) int {
	size, err := unix.IoctlGetWinsize(int(terminal.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
