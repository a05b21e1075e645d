//go:build !darwin && !(linux && (amd64 || arm64))

package live

import (
	"fmt"
	"runtime"

	"stacksnap/task"
)

// Open says that this system's processes cannot be read.
func Open(int) (task.Process, error) { return nil, unsupported() }

func list() ([]task.Candidate, error) { return nil, unsupported() }

func pids() ([]int, error) { return nil, unsupported() }

func children(int) ([]int, bool) { return nil, false }

func candidate(int) (task.Candidate, bool) { return task.Candidate{}, false }

// Details knows nothing here.
func Details(int) task.Details { return task.Details{User: -1, CPU: -1} }

// Holders knows of none: this system does not tell who has what open.
func Holders([]task.End) map[task.End]task.Holders { return nil }

func unsupported() error {
	return fmt.Errorf("%w (%s/%s): it does on macOS and on Linux (amd64, arm64)",
		task.ErrUnsupported, runtime.GOOS, runtime.GOARCH)
}

// awaitExec has nothing to wait for: the program is in place.
func awaitExec(int) {}
