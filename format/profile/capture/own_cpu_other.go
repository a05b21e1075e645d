//go:build !unix

package capture

import "time"

// OwnCPU returns 0: the CPU time is not known on this system.
func OwnCPU() time.Duration { return 0 }
