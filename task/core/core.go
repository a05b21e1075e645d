// Package core opens the core files of macOS and Linux, by their content.
package core

import (
	"errors"
	"fmt"
	"os"

	"stacksnap/task"
	"stacksnap/task/elfcore"
	"stacksnap/task/machocore"
)

// ErrNotCore is wrapped by the error about a file that is no core.
var ErrNotCore = errors.New("not a core file of macOS or Linux")

// Process is a process that a core file holds.
type Process interface {
	task.Process
	// Problems lists what is wrong with the file; each cost only what it names.
	Problems() []error
	// Back gives memory to ask for what the core does not hold.
	Back(task.Memory)
}

// Open opens a core file of either kind.
func Open(path string) (Process, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file: %w", path, ErrNotCore)
	}
	switch {
	case machocore.Is(f, info.Size()):
		return opened(machocore.Open(path))
	case elfcore.Is(f, info.Size()):
		return opened(elfcore.Open(path))
	}
	return nil, fmt.Errorf("%s: %w", path, ErrNotCore)
}

// opened keeps a nil pointer from becoming a Process that is not nil.
func opened[P interface {
	comparable
	Process
}](p P, err error) (Process, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}
