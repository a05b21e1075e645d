//go:build unix

package debugsymbols

import (
	"os"
	"syscall"
)

// isOwn reports whether a file belongs to the current user.
func isOwn(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
