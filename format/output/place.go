package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"stacksnap/task/directory"
)

// place is the destination of a file: a name in a directory that is held open, or a stream.
type place struct {
	dir    *directory.Dir
	name   string
	old    fs.FileInfo // the file to replace; nil: none
	stream string      // path of a stream that is written directly; empty: none
}

// maxLinks is the maximum number of symbolic links that are followed, as on Linux.
const maxLinks = 40

var errIsFolder = errors.New("is a directory")

// find opens the directory of a path. It follows symbolic links, even to a missing file,
// unless another user could have chosen the target.
func find(path string) (*place, error) {
	for range maxLinks {
		if isStream(path) {
			return &place{stream: path}, nil
		}
		p, err := openPlace(path)
		if err != nil {
			return nil, err
		}
		to, err := p.link()
		if err == nil && to == "" {
			return p, nil
		}
		p.close()
		if err != nil {
			return nil, err
		}
		if !filepath.IsAbs(to) { // not cleaned: ".." after a symbolic link to a directory is not the parent
			to = filepath.Dir(path) + string(filepath.Separator) + to
		}
		path = to
	}
	return nil, syscall.ELOOP
}

// openPlace opens the directory of a path.
func openPlace(path string) (*place, error) {
	name := filepath.Base(path)
	if os.IsPathSeparator(path[len(path)-1]) || name == "." || name == ".." {
		return nil, errIsFolder
	}
	dir, err := directory.Open(filepath.Dir(path))
	return &place{dir: dir, name: name}, err
}

func (p *place) close() {
	if p.dir != nil {
		_ = p.dir.Close() // it was only read
	}
}

// link returns the target of a symbolic link; empty if the name is none.
func (p *place) link() (string, error) {
	info, err := p.dir.Lstat(p.name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return "", nil // the error recurs later, where it is returned
	}
	if err := p.dir.Refuse(p.name, info); err != nil {
		return "", err
	}
	return p.dir.Readlink(p.name)
}

// look finds the file to replace, and returns an error if writing to it would be refused.
// It does not open special files, as their readers would notice.
func (p *place) look() error {
	if p.stream != "" {
		return nil
	}
	info, err := p.dir.Lstat(p.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return errIsFolder
	}
	if info.Mode().IsRegular() {
		info, err = p.dir.Old(p.name)
	}
	if info == nil || err != nil {
		return err
	}
	p.old = info
	return p.dir.RefuseLeft(info)
}

// untilRead is the time between attempts to open a pipe that has no reader yet.
const untilRead = 10 * time.Millisecond

// open opens a special file, such as a pipe, to write to it directly. It returns nil for a
// regular file, which will be replaced, and for a missing one.
func (p *place) open() (*os.File, error) {
	if p.stream != "" {
		// O_APPEND matters on Linux, where /dev/stdout opens a redirected file again.
		return os.OpenFile(p.stream, os.O_WRONLY|os.O_APPEND, 0)
	}
	f, info, err := p.dir.OpenToWrite(p.name)
	for errors.Is(err, directory.ErrNoReader) && p.isPipe() {
		time.Sleep(untilRead)
		f, info, err = p.dir.OpenToWrite(p.name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if err := p.dir.RefuseLeft(info); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if info.Mode().IsRegular() {
		p.old = info
		return nil, f.Close() // nothing was written
	}
	return f, nil
}

func (p *place) isPipe() bool {
	info, err := p.dir.Lstat(p.name)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// isStream reports whether a path is that of an open file of this program, such as
// /dev/stdout. It may be redirected to a regular file that another program goes on writing
// to, and must not be replaced.
func isStream(path string) bool {
	if runtime.GOOS == "windows" {
		info, err := os.Stat(path)
		return err == nil && !info.Mode().IsRegular() && !info.IsDir() // NUL, CON
	}
	clean := filepath.Clean(path)
	dir, name := filepath.Split(clean)
	isNumber := strings.Trim(name, "0123456789") == ""
	return clean == "/dev/stdout" || clean == "/dev/stderr" || isNumber && (dir == "/dev/fd/" || dir == "/proc/self/fd/")
}

// begin makes the temporary file, with the owner and group of the old file.
func (p *place) begin() (*directory.Temporary, error) {
	t, err := p.dir.Temporary()
	if err != nil || p.old == nil {
		return t, err
	}
	if err := p.giveAway(t); err != nil {
		t.Drop()
		return nil, err
	}
	return t, nil
}

// giveAway gives the temporary file the owner and group of the old one.
func (p *place) giveAway(t *directory.Temporary) error {
	uid, gid, ok := owner(p.old)
	if !ok {
		return nil // this system has none
	}
	now, err := t.Stat()
	if err != nil {
		return err
	}
	if u, g, _ := owner(now); u == uid && g == gid {
		return nil
	}
	if t.Chown(uid, gid) != nil {
		return fmt.Errorf("belongs to user %d and group %d, which a new file in its place would not: remove it, or give another name", uid, gid)
	}
	return nil
}

// commit gives the complete file the mode of the old one, and renames it.
func (p *place) commit(t *directory.Temporary) error {
	if p.old != nil {
		if err := t.Chmod(p.old.Mode().Perm()); err != nil && runtime.GOOS != "windows" {
			return err
		}
	}
	return t.Replace(p.name)
}
