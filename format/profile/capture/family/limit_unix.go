//go:build unix

package family

import (
	"math"

	"golang.org/x/sys/unix"
)

// fileLimit returns how many files this program may have open.
func fileLimit() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxUint64
	}
	return uint64(limit.Cur)
}
