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

// place is where a file is to be: a name in a directory that is held open, or a
// stream.
type place struct {
	dir    *directory.Dir
	name   string
	old    fs.FileInfo // what the new file will replace; nil: nothing
	stream string      // a path to which bytes go as they come; empty: none
}

// maxLinks is how many symbolic links are followed, as Linux does.
const maxLinks = 40

var errIsFolder = errors.New("is a directory")

// find opens the directory of a path. A symbolic link is followed, also when what it
// leads to does not exist yet, unless another user could have chosen where it leads.
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
		if !filepath.IsAbs(to) { // not cleaned: ".." after a linked folder is not its parent
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

// link returns where the name leads as a symbolic link; empty: it is none.
func (p *place) link() (string, error) {
	info, err := p.dir.Lstat(p.name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return "", nil // an error comes again, where it is told
	}
	if err := p.dir.Refuse(p.name, info); err != nil {
		return "", err
	}
	return p.dir.Readlink(p.name)
}

// look finds what the new file will replace, and refuses what a plain writing would be
// refused. What is no regular file is not opened, for its reader would notice.
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

// untilRead is how often a pipe is tried that nobody reads from yet.
const untilRead = 10 * time.Millisecond

// open opens what has the name now, and returns it where bytes go there as they come. It
// is nil for a regular file, which is replaced, and where there is nothing.
func (p *place) open() (*os.File, error) {
	if p.stream != "" {
		// To append matters where Linux opens a redirected descriptor's file anew.
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

// isStream reports whether a path is that of an open file of this program: it may be a
// regular file that someone else has open and continues, as with a redirected
// /dev/stdout, and must not be replaced.
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

// begin makes the file that is to have the name, which belongs to whom the old one does.
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

// giveAway gives the file the owner and the group of the old one.
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

// commit gives the complete file the mode of the old one, and its name.
func (p *place) commit(t *directory.Temporary) error {
	if p.old != nil {
		if err := t.Chmod(p.old.Mode().Perm()); err != nil && runtime.GOOS != "windows" {
			return err
		}
	}
	return t.Replace(p.name)
}
