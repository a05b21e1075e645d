//go:build !linux

package terminal

import (
	"errors"
	"os"
)

// Open returns errors.ErrUnsupported.
func Open(uint16, uint16) (ours, theirs *os.File, err error) {
	return nil, nil, errors.ErrUnsupported
}
