package family

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
	"stacksnap/task/directory"
	"stacksnap/task/live"
)

// maxPrograms bounds how many programs of one process are recorded one after the
// other.
const maxPrograms = 100

// Through records a process and, where it calls exec as a script does that starts
// another program in its place, that one as well. Duration and Count are of all
// programs together; a file to save to has the last of them of which there is a
// snapshot. That the process ends is no error, but that it is not there at first.
func Through(ctx context.Context, pid int, o capture.Options) (profiles []*profile.Profile, err error) {
	p, err := live.Open(pid)
	if err != nil {
		return nil, err
	}
	began, whole, count, save := time.Now(), o.Duration, o.Count, o.Save
	for i := range maxPrograms {
		var next *successor
		if i > 0 && save != "" {
			if next, err = beside(save); err != nil {
				return profiles, errors.Join(err, p.Close())
			}
			o.Save, o.SaveTo = "", next
		}
		prof, err := capture.Record(ctx, p, o)
		if next != nil {
			err = errors.Join(err, next.settle(prof != nil))
		}
		taken := 0
		if prof != nil {
			profiles, taken = append(profiles, prof), prof.Snapshots
		}
		exited := errors.As(err, new(*task.ExitedError))
		err = withoutExit(errors.Join(err, p.Close()))
		if err != nil || !exited || ctx.Err() != nil {
			return profiles, err
		}
		o.Duration, o.Count = max(0, whole-time.Since(began)), max(0, o.Count-taken)
		if whole > 0 && o.Duration == 0 || count > 0 && o.Count == 0 {
			break
		}
		if p, err = live.Open(pid); err != nil { // it has ended, as it was to
			return profiles, withoutProcess(err)
		}
	}
	return profiles, nil
}

// successor is a recording that takes the place of another once it is worth that.
type successor struct {
	*directory.Temporary
	dir   *directory.Dir
	path  string
	empty bool // there is nothing in it
}

// beside begins the successor of a recording.
func beside(path string) (*successor, error) {
	dir, err := directory.Open(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("write recording: %w", err)
	}
	t, err := dir.Temporary()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write recording: %w", err), dir.Close())
	}
	return &successor{Temporary: t, dir: dir, path: path}, nil
}

// Name implements [recording.Output].
func (s *successor) Name() string { return s.path }

// Close implements [recording.Output]: the file is closed when it is settled.
func (s *successor) Close() error { return nil }

// Remove implements [recording.Output]. It marks the file, which settle then removes.
func (s *successor) Remove() error { s.empty = true; return nil }

// settle has the recording take the place of the other, if it is worth that, or go away.
func (s *successor) settle(better bool) error {
	defer func() { _ = s.dir.Close() }() // it was only read
	defer s.Drop()
	if better && !s.empty {
		return s.Replace(filepath.Base(s.path))
	}
	return nil
}

// withoutProcess is nil for the error that there is no such process.
func withoutProcess(err error) error {
	if errors.As(err, new(*task.NoProcessError)) {
		return nil
	}
	return err
}

// withoutExit leaves out of joined errors that the target has ended: the others
// are to be told.
func withoutExit(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var rest []error
		for _, e := range joined.Unwrap() {
			rest = append(rest, withoutExit(e))
		}
		return errors.Join(rest...)
	}
	if errors.As(err, new(*task.ExitedError)) {
		return nil
	}
	return err
}
