//go:build !unix

package family

import "math"

// fileLimit returns how many files this program may have open.
func fileLimit() uint64 { return math.MaxUint64 }
