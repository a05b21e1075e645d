//go:build linux || darwin || freebsd

package directory

import (
	"math"

	"golang.org/x/sys/unix"
)

// Free returns the free bytes on the directory's file system, [math.MaxInt64] if they
// are not known.
func (d *Dir) Free() int64 {
	var is unix.Statfs_t
	if unix.Fstatfs(int(d.self.Fd()), &is) != nil {
		return math.MaxInt64
	}
	size, blocks := uint64(max(is.Bsize, 1)), uint64(max(is.Bavail, 0))
	if blocks > math.MaxInt64/size {
		return math.MaxInt64
	}
	return int64(blocks * size)
}
