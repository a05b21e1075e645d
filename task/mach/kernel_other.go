//go:build !darwin || !cgo

package mach

import (
	"fmt"
	"runtime"

	"stacksnap/task"
)

// systemKernel returns an error: there is no Mach kernel to call.
func systemKernel() (kernel, error) {
	if runtime.GOOS == "darwin" {
		return nil, fmt.Errorf("this stacksnap was built without cgo, which Mach tasks need (CGO_ENABLED=1): %w", task.ErrUnsupported)
	}
	return nil, fmt.Errorf("only macOS has Mach tasks, and this is %s: %w", runtime.GOOS, task.ErrUnsupported)
}
