package directory

import "golang.org/x/sys/unix"

// searchOnly opens a directory with search permission only, without the right to list
// it.
const searchOnly = unix.O_PATH
