package words

import (
	"io"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
)

// DiffWriter writes a comparison in one form.
type DiffWriter func(io.Writer, *Comparison) error

// Writer writes a profile in one form. It returns the first error of the
// underlying writer, and whatever was written before stays written.
type Writer func(io.Writer, *profile.Profile) error

// GroupWriter writes what was captured of several processes in one form.
type GroupWriter func(io.Writer, *profile.Group) error

// HangWriter writes the report of one hang in one form.
type HangWriter func(io.Writer, *hangreport.Report) error
