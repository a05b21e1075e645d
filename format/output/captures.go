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

// Captures are the files of a watch: for each capture a report and, if there is one, a
// recording, named by the time. An error of writing does not end the watch, as a full disk
// may have room later.
type Captures struct {
	Reports, Recordings Rotation
	// Instead receives reports whose file cannot be written.
	Instead io.Writer

	missing int // number of files missing or cut short
}

// Recorded is the recording of a capture.
type Recorded struct {
	Path string // empty: there is none
	Err  error  // why it is missing, or ends early
}

// Captured names the files of one capture.
type Captured struct {
	Report, Recording string // paths; empty: none
	Line              string // a line about them for the user
}

// Prepare returns an error if no file can be made in the directory, except because its disk
// is full.
func (c *Captures) Prepare() error { return c.Reports.Folder.prepare() }

// Close closes the directory.
func (c *Captures) Close() error { return c.Reports.Folder.Close() }

// Add writes the report of a capture that began at that time, and deletes the oldest files
// of both kinds beyond those to keep. If the disk is too full for the report, it deletes a
// recording that was cut short for the same reason. The error is that of Instead; the
// report is then lost.
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

// recording returns a phrase on a recording that failed; empty if it did not.
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

// cause removes the file's path from an error of writing it.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// prune deletes old files and returns a phrase if that failed.
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

// Err returns an error if files are missing or incomplete.
func (c *Captures) Err() error {
	if c.missing == 0 {
		return nil
	}
	return fmt.Errorf("%d of the files to write to %s are missing or end early", c.missing, c.Reports.Folder.Path())
}
