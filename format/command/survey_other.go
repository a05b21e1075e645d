//go:build !linux

package command

import (
	"context"
	"errors"

	"stacksnap/format/profile"
)

var errNoSurvey = errors.New("nothing here tells of all processes without stopping them: give -p instead of --system")

// surveyed captures all processes.
func (c *call) surveyed(context.Context) (*profile.Group, error) { return nil, errNoSurvey }
