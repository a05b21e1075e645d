//go:build !linux && !darwin && !freebsd

package directory

import "math"

// Free returns the free bytes on the directory's file system, on this system
// [math.MaxInt64]: they are not known.
func (d *Dir) Free() int64 { return math.MaxInt64 }
