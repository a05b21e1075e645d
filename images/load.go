package images

import (
	"fmt"

	"stacksnap/images/dyld"
	"stacksnap/images/elf"
	"stacksnap/images/object"
	"stacksnap/task"
)

// Load finds what is mapped in a process. Partial success is normal: an image
// that cannot be read costs only itself, and is in the map with its Err.
func Load(p task.Process) (*Map, []error) {
	var placed []object.Placed
	var errs []error
	switch os := p.Info().OS; os {
	case task.Darwin:
		placed, errs = dyld.Load(p)
	case task.Linux:
		placed, errs = elf.Load(p)
	default:
		errs = []error{fmt.Errorf("images of an unknown operating system (%d) cannot be found", os)}
	}
	return NewMap(placed), errs
}
