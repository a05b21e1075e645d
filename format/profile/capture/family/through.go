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

// maxPrograms bounds how many successive programs of one process are recorded.
const maxPrograms = 100

// Through records a process and, if it calls exec, as a script does that starts another program
// in its place, that program as well. Duration and Count apply to all programs together. A file
// to save to gets the last program that was captured. It is no error if the process
// ends, unless it did not exist at the start.
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
		if p, err = live.Open(pid); err != nil { // it has ended, as was expected
			return profiles, withoutProcess(err)
		}
	}
	return profiles, nil
}

// successor is a recording that replaces another one if it turns out to be worth it.
type successor struct {
	*directory.Temporary
	dir   *directory.Dir
	path  string
	empty bool // it has no snapshot
}

// beside creates the successor of a recording in the same directory.
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

// Close implements [recording.Output]. It does nothing: settle closes the file.
func (s *successor) Close() error { return nil }

// Remove implements [recording.Output]. It only marks the file, and settle removes it.
func (s *successor) Remove() error { s.empty = true; return nil }

// settle replaces the other recording if this one is better, and otherwise removes this one.
func (s *successor) settle(better bool) error {
	defer func() { _ = s.dir.Close() }() // it was only read
	defer s.Drop()
	if better && !s.empty {
		return s.Replace(filepath.Base(s.path))
	}
	return nil
}

// withoutProcess returns nil if err says that there is no such process, else err.
func withoutProcess(err error) error {
	if errors.As(err, new(*task.NoProcessError)) {
		return nil
	}
	return err
}

// withoutExit removes from joined errors the ones that say that the target has ended. The others
// are to be reported.
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
