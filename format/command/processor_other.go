//go:build !unix

package command

import "time"

func processorTime() time.Duration { return 0 }
