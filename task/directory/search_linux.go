package directory

import "golang.org/x/sys/unix"

// searchOnly opens a directory that one may go through without the right to list it.
const searchOnly = unix.O_PATH
