//go:build !linux && !darwin && !freebsd

package directory

import "math"

// Free returns how many bytes the directory's file system has room for: it is not known on
// this system.
func (d *Dir) Free() int64 { return math.MaxInt64 }
