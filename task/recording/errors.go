package recording

import (
	"errors"
	"fmt"
	"io"
)

// ErrNotRecording is wrapped by errors about files that are not recordings.
var ErrNotRecording = errors.New("not a stacksnap recording")

// ErrCutEarly is wrapped, besides [ErrNotRecording], by errors about files that start
// like a recording and end before its header is complete.
var ErrCutEarly = errors.New("the recording was cut off before its first snapshot was whole")

var (
	errChecksum = errors.New("checksum does not match")
	errTooBig   = errors.New("it claims to hold more than any recording does")
	errReused   = errors.New("it refers to something that it does not have")
)

// VersionError means that a recording has a later version than can be read.
type VersionError struct{ Version string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("the recording is of version %s, and this stacksnap reads version %d: use the one that made it, or a later one", e.Version, version)
}

// CutError means that a recording ends early, because it was cut off or damaged. The
// snapshots before that are complete.
type CutError struct {
	Snapshots int // number of complete snapshots
	Err       error
}

func (e *CutError) Error() string {
	what := "is damaged"
	switch {
	case e.Cut():
		what = "was cut off"
	case errors.Is(e.Err, ErrTooMuch):
		what = "is left out"
	}
	return fmt.Sprintf("the recording %s %s: %v", what, e.place(), e.Err)
}

func (e *CutError) place() string {
	switch e.Snapshots {
	case 0:
		return "before its first snapshot was whole"
	case 1:
		return "after 1 whole snapshot"
	}
	return fmt.Sprintf("after %d whole snapshots", e.Snapshots)
}

// Cut reports whether the recording was cut off rather than damaged.
func (e *CutError) Cut() bool { return errors.Is(e.Err, io.ErrUnexpectedEOF) }

func (e *CutError) Unwrap() error { return e.Err }

// savedError is an error that was recorded as text.
type savedError string

func (e savedError) Error() string { return string(e) }

func newError(text string) error {
	if text == "" {
		return nil
	}
	return savedError(text)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	if s := err.Error(); s != "" {
		return s
	}
	return "unknown error"
}
