package directory

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// hasACL reports whether a directory names others who may write to it: the bits of its
// group are then the most that they may (acl(5), CORRESPONDENCE BETWEEN ACL ENTRIES AND
// FILE PERMISSION BITS).
func hasACL(at *os.File) bool {
	n, err := unix.Getxattr("/proc/self/fd/"+strconv.Itoa(int(at.Fd())), "system.posix_acl_access", nil)
	return err == nil && n > 0
}
