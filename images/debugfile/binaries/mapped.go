package binaries

import "path/filepath"

// Mapped is a [Finder] that finds an image where the system says that a process has it
// mapped from. What stands there now may be another file, which its ID tells.
type Mapped struct{}

var _ Finder = Mapped{}

// Find implements [Finder].
func (Mapped) Find(_ []byte, image string) (path string, ok bool) {
	return image, filepath.IsAbs(image)
}

// Remarks implements [Finder]: that a file is gone is nothing to tell.
func (Mapped) Remarks() []string { return nil }
