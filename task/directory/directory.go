// Package directory makes, replaces and removes files in directories that others may
// write to as well, as root does in a user's: nobody else can choose which file it is.
//
// A directory is reached by a walk along its path that refuses every part that another
// user could exchange, and is held open from then on. A file in it is opened once, without
// following a link, and what it is is asked of that descriptor.
package directory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// The modes of what is made here: reports and recordings hold what is in another
// process's memory.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Dir is a directory that is held open: whatever its path leads to later, files are made,
// renamed and removed where it was when it was opened.
type Dir struct {
	path string
	root *os.Root
	self *os.File // the same, as a descriptor
}

// errExchanged says that a path led elsewhere in the middle of opening it.
var errExchanged = errors.New("is another directory than a moment ago")

// Open opens a directory. A part of the path that another user could replace is a
// [*ReplaceableError].
func Open(path string) (*Dir, error) { return open(path, false) }

// Make is [Open], but makes what is missing of the path, for its owner alone.
func Make(path string) (*Dir, error) { return open(path, true) }

func open(path string, makes bool) (*Dir, error) {
	checked, err := walk(path, makes)
	if err != nil {
		return nil, err
	}
	defer func() { _ = checked.Close() }() // it was only looked at
	d := &Dir{path: path}
	if d.root, err = os.OpenRoot(path); err != nil {
		return nil, err
	}
	if d.self, err = d.root.Open("."); err == nil {
		err = d.verify(checked)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// verify requires that what was opened is what the walk came to.
func (d *Dir) verify(checked *os.File) error {
	if checked == nil {
		return nil // nothing is checked on this system
	}
	want, err := checked.Stat()
	if err != nil {
		return err
	}
	got, err := d.self.Stat()
	if err == nil && !os.SameFile(want, got) {
		err = &fs.PathError{Op: "open", Path: d.path, Err: errExchanged}
	}
	return err
}

// Close lets go of the directory.
func (d *Dir) Close() error {
	_ = d.self.Close() // it was only read
	return d.root.Close()
}

// Path is the directory's, as it was given.
func (d *Dir) Path() string { return d.path }

// Join returns the path of a file in the directory.
func (d *Dir) Join(name string) string { return filepath.Join(d.path, name) }

// Stat describes the directory itself.
func (d *Dir) Stat() (fs.FileInfo, error) { return d.self.Stat() }

// Lstat describes what has a name; a link, not what it leads to.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }

// Readlink returns where a link leads.
func (d *Dir) Readlink(name string) (string, error) { return d.root.Readlink(name) }

// ReadDir lists the directory.
func (d *Dir) ReadDir() ([]fs.DirEntry, error) { return fs.ReadDir(d.root.FS(), ".") }

// Remove takes a file away; a link, not what it leads to.
func (d *Dir) Remove(name string) error { return d.root.Remove(name) }

// Rename gives a file another name, and takes that from whatever had it.
func (d *Dir) Rename(old, name string) error { return d.root.Rename(old, name) }

// Create makes a file, for its owner alone, that was not there, and fails with
// [fs.ErrExist] where there is anything of that name.
func (d *Dir) Create(name string) (*os.File, error) {
	return d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
}

// Sync makes names last. Some file systems cannot, and the files are there all the same.
func (d *Dir) Sync() { _ = d.self.Sync() }
