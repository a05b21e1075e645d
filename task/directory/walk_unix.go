//go:build unix

package directory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// maxLinks is how many symbolic links are followed, as on Linux.
const maxLinks = 40

// walker walks along a path, component by component, holding each directory open.
type walker struct {
	at    *os.File
	stat  unix.Stat_t // of at
	path  string      // path walked so far
	makes bool
	links int
}

// walk opens the directory at a path. It rejects components that another user could
// replace, a link or a directory, because that user would choose where the path
// leads.
func walk(path string, makes bool) (*os.File, error) {
	w := &walker{makes: makes}
	err := w.start(path)
	for rest := split(path); err == nil && len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		var link string
		if link, err = w.step(part); link == "" || err != nil {
			continue
		}
		if filepath.IsAbs(link) {
			err = w.start(link)
		}
		rest = append(split(link), rest...)
	}
	if err != nil && w.at != nil {
		_ = w.at.Close()
	}
	return w.at, err
}

// split returns the components of a path. ".." is kept: it is the parent of a link's
// target, not of the link.
func split(path string) (parts []string) {
	for part := range strings.SplitSeq(path, "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	return parts
}

// start opens the directory where a path starts.
func (w *walker) start(path string) error {
	if w.at != nil {
		_ = w.at.Close()
		w.at = nil
	}
	w.path = "."
	if filepath.IsAbs(path) {
		w.path = "/"
	}
	return w.enter(unix.AT_FDCWD, w.path, w.path)
}

// step opens a component of the directory, or returns its target if it is a link.
func (w *walker) step(part string) (link string, err error) {
	path := filepath.Join(w.path, part)
	if part == ".." {
		return "", w.enter(int(w.at.Fd()), part, w.path+"/..")
	}
	var is unix.Stat_t
	err = unix.Fstatat(int(w.at.Fd()), part, &is, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) && w.makes {
		err = w.makeDir(part, path, &is)
	}
	if err != nil {
		return "", wrap(path, err)
	}
	if err := w.refuse(path, &is); err != nil {
		return "", err
	}
	if is.Mode&unix.S_IFMT == unix.S_IFLNK {
		return w.follow(part, path)
	}
	return "", w.enter(int(w.at.Fd()), part, path)
}

// makeDir creates a directory, unless another user could replace it.
func (w *walker) makeDir(part, path string, is *unix.Stat_t) error {
	if err := w.refuse(path, nil); err != nil {
		return err
	}
	if err := unix.Mkdirat(int(w.at.Fd()), part, dirMode); err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	return unix.Fstatat(int(w.at.Fd()), part, is, unix.AT_SYMLINK_NOFOLLOW)
}

// refuse returns an error if another user could replace a component.
func (w *walker) refuse(path string, is *unix.Stat_t) error {
	if by := replacer(w.at, &w.stat, is); by != "" {
		return &ReplaceableError{Path: path, By: by, Link: is != nil && is.Mode&unix.S_IFMT == unix.S_IFLNK}
	}
	return nil
}

// follow reads a link.
func (w *walker) follow(part, path string) (string, error) {
	if w.links++; w.links > maxLinks {
		return "", wrap(path, unix.ELOOP)
	}
	b := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(int(w.at.Fd()), part, b)
	if err == nil && n == 0 {
		err = unix.ENOENT
	}
	if err != nil {
		return "", wrap(path, err)
	}
	return string(b[:n]), nil
}

// enter opens a directory by its name in another.
func (w *walker) enter(in int, name, path string) error {
	fd, err := unix.Openat(in, name, unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC|searchOnly, 0)
	if err != nil {
		return wrap(path, err)
	}
	if w.at != nil {
		_ = w.at.Close()
	}
	w.at, w.path = os.NewFile(uintptr(fd), path), path
	return wrap(path, unix.Fstat(fd, &w.stat))
}

func wrap(path string, err error) error {
	if err == nil || errors.As(err, new(*ReplaceableError)) {
		return err
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}
