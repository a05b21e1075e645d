package regular

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Old opens, for writing, the regular file that is to be replaced: nil when there is
// none of that name in the folder, [ErrNot] when something else has it, a link too.
// It changes nothing, and never waits for another program.
func Old(folder *os.Root, name string) (*os.File, error) {
	info, err := folder.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrNot
	}
	return folder.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
}
