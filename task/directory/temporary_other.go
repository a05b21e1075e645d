//go:build !linux

package directory

import (
	"errors"
	"os"
)

// anonymous fails: this system has no files without a name.
func (*Dir) anonymous() (*os.File, error) { return nil, errors.ErrUnsupported }

// link gives the file a new name.
func (t *Temporary) link(name string) error { return t.dir.root.Link(t.name, name) }
