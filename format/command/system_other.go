//go:build !linux

package command

import (
	"context"
	"errors"

	"stacksnap/format/profile"
)

var errNoSystem = errors.New("nothing here tells of all processes without stopping them: give -p instead of --system")

// captureSystem captures all processes.
func (c *call) captureSystem(context.Context) (*profile.Group, error) { return nil, errNoSystem }
