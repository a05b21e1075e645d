package family

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
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
		if i > 0 && save != "" {
			if o.Save, err = beside(save); err != nil {
				return profiles, errors.Join(err, p.Close())
			}
		}
		prof, err := capture.Record(ctx, p, o)
		if o.Save != save {
			err = errors.Join(err, replace(save, o.Save, prof != nil))
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

// beside makes an empty file beside another, under a name that nothing has.
func beside(path string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".stacksnap-*.tmp")
	if err != nil {
		return "", fmt.Errorf("write recording: %w", err)
	}
	return f.Name(), f.Close()
}

// replace has a file take the place of another, if it is worth that, or go away.
func replace(old, by string, better bool) error {
	if better {
		return os.Rename(by, old)
	}
	if err := os.Remove(by); !errors.Is(err, fs.ErrNotExist) {
		return err
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
