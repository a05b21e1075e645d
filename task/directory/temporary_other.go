//go:build !linux

package directory

import (
	"errors"
	"os"
)

// anonymous makes a file without a name: this system has none.
func (*Dir) anonymous() (*os.File, error) { return nil, errors.ErrUnsupported }

// link gives the file a name that nothing has.
func (t *Temporary) link(name string) error { return t.dir.root.Link(t.name, name) }
