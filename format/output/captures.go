package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Captures are the files of a watch: of each capture a report and, where there
// is one, a recording, both of its time. A capture that cannot be written does
// not end the watch: a full disk has room again some time.
type Captures struct {
	Reports, Recordings Rotation
	// Instead takes the reports whose file cannot be written.
	Instead io.Writer

	missing int // files
}

// Recorded is a recording that was made of a capture.
type Recorded struct {
	Path string // empty: there is none
	Err  error  // why there is none, or why it ends early
}

// Captured is what there is of a capture.
type Captured struct {
	Report, Recording string // paths; empty: none
	Line              string // for the user
}

// Prepare refuses a folder that no file can be made in. That its disk is full is
// no reason.
func (c *Captures) Prepare() error { return c.Reports.Folder.prepare() }

// Close lets go of the folder.
func (c *Captures) Close() error { return c.Reports.Folder.Close() }

// Add writes the report of a capture of the time at, and deletes the oldest files
// of both kinds beyond those to keep. Where the disk is too full for the report, a
// recording that ends early for the same reason makes room. The error is that of
// Instead: then the report is lost.
func (c *Captures) Add(at time.Time, rec Recorded, report func(io.Writer) error) (Captured, error) {
	path, err := c.Reports.Write(at, report)
	if errors.Is(err, syscall.ENOSPC) && rec.Err != nil && rec.Path != "" && c.drop(rec.Path) == nil {
		rec.Path = ""
		path, err = c.Reports.Write(at, report)
	}
	done := Captured{Recording: rec.Path}
	if err != nil {
		c.missing++
		done.Line = sentence(err, "; the report follows", c.recording(rec))
		return done, report(c.Instead)
	}
	done.Report = path
	done.Line = sentence("wrote "+path, c.recording(rec), c.prune(done))
	return done, nil
}

// drop removes a recording.
func (c *Captures) drop(path string) error {
	return c.Recordings.Folder.Remove(filepath.Base(path))
}

// recording tells of one that failed.
func (c *Captures) recording(rec Recorded) string {
	switch {
	case rec.Err == nil:
		return ""
	case rec.Path == "":
		c.missing++
		return fmt.Sprintf("; there is no recording of it: %v", cause(rec.Err))
	}
	c.missing++
	return fmt.Sprintf("; its recording ends early: %v", cause(rec.Err))
}

// cause leaves out which file could not be written, where that is clear.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// prune deletes old files, and tells when that failed.
func (c *Captures) prune(done Captured) string {
	err := c.Reports.Prune(done.Report)
	if done.Recording != "" {
		err = errors.Join(err, c.Recordings.Prune(done.Recording))
	}
	if err == nil {
		return ""
	}
	return fmt.Sprintf("; old files stay: %v", err)
}

// sentence joins parts to one line.
func sentence(parts ...any) string {
	return strings.ReplaceAll(fmt.Sprint(parts...), "\n", "; ")
}

// Err returns an error when files are missing that should have been written.
func (c *Captures) Err() error {
	if c.missing == 0 {
		return nil
	}
	return fmt.Errorf("%d of the files to write to %s are missing or end early", c.missing, c.Reports.Folder.Path())
}
