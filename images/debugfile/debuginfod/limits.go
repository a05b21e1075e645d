package debuginfod

import "time"

// Limits of one run.
const (
	maxTime  = 2 * time.Minute  // for all servers together
	maxStall = 15 * time.Second // without receiving anything
	maxSize  = 2 << 30          // bytes of one file
	maxAll   = 4 << 30          // bytes received in all
	missFor  = 10 * time.Minute // until a file that no server had is requested again
)
