// Package core opens a core file of any system, by its content.
package core

import (
	"errors"
	"fmt"

	"stacksnap/task"
	"stacksnap/task/elfcore"
	"stacksnap/task/machocore"
)

// ErrNotCore is returned for a file that is not a core of a known kind.
var ErrNotCore = errors.New("neither a Mach-O core file nor an ELF core file")

// Open opens a core file.
func Open(path string) (task.Process, error) {
	m, err := machocore.Open(path)
	if err == nil {
		return m, nil
	}
	if !errors.Is(err, machocore.ErrNotCore) {
		return nil, err
	}
	e, elfErr := elfcore.Open(path)
	switch {
	case elfErr == nil:
		return e, nil
	case !errors.Is(elfErr, elfcore.ErrNotCore):
		return nil, elfErr
	}
	return nil, fmt.Errorf("%s: %w", path, ErrNotCore)
}
