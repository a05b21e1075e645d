package directory

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// hasACL reports whether an access control list lets others write to a directory. The
// group bits are then the most that they may do (acl(5), CORRESPONDENCE BETWEEN ACL
// ENTRIES AND FILE PERMISSION BITS).
func hasACL(at *os.File) bool {
	n, err := unix.Getxattr("/proc/self/fd/"+strconv.Itoa(int(at.Fd())), "system.posix_acl_access", nil)
	return err == nil && n > 0
}
