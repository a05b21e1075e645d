//go:build !unix

package capture

import "time"

// OwnCPU is not known here: it is 0.
func OwnCPU() time.Duration { return 0 }
