//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// fifoPrefix begins what a named pipe is called here: by its number on its device, for it
// may have several paths.
const fifoPrefix = "fifo:["

// fifoAt is the named pipe that a link in a folder of /proc leads to; empty where it is
// none. The server of a file is not asked, which might not answer.
func fifoAt(dir procDir, link string) string {
	var st unix.Statx_t
	err := unix.Statx(dir.fd, link, unix.AT_STATX_DONT_SYNC|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE|unix.STATX_INO, &st)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return ""
	}
	return fmt.Sprintf("%s%d:%d:%d]", fifoPrefix, st.Dev_major, st.Dev_minor, st.Ino)
}

// isPipe tells whether what a file is called is a pipe, which has an end to read and one
// to write.
func isPipe(file string) bool {
	return strings.HasPrefix(file, "pipe:") || strings.HasPrefix(file, fifoPrefix)
}
