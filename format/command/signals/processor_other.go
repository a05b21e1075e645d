//go:build !unix

package signals

import "time"

func processorTime() time.Duration { return 0 }
