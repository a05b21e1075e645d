// Package directory creates, replaces and deletes files in directories that others
// may write to as well, such as root in a user's directory, so that nobody else can
// redirect it to another file.
//
// A directory is reached by walking along its path, rejecting every component that
// another user could replace, and is held open from then on. A file in it is opened
// once, without following a link, and is examined through its descriptor.
package directory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// The modes of created files and directories: reports and recordings contain another
// process's memory.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Dir is a directory held open. Files are created, renamed and deleted in it, even if
// its path leads to another one later.
type Dir struct {
	path string
	root *os.Root
	self *os.File // the same, as a descriptor
}

// errExchanged means that a directory was replaced while it was being opened.
var errExchanged = errors.New("is another directory than a moment ago")

// Open opens a directory. If another user could replace part of the path, the error
// is a [*ReplaceableError].
func Open(path string) (*Dir, error) { return open(path, false) }

// Make is [Open], and creates missing directories, accessible only to their owner.
func Make(path string) (*Dir, error) { return open(path, true) }

func open(path string, makes bool) (*Dir, error) {
	checked, err := walk(path, makes)
	if err != nil {
		return nil, err
	}
	defer func() { _ = checked.Close() }() // opened only to compare
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

// verify checks that the opened directory is the one that the walk reached.
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

// Close closes the directory.
func (d *Dir) Close() error {
	_ = d.self.Close() // read-only
	return d.root.Close()
}

// Path returns the directory's path as given.
func (d *Dir) Path() string { return d.path }

// Join returns the path of a file in the directory.
func (d *Dir) Join(name string) string { return filepath.Join(d.path, name) }

// Stat describes the directory itself.
func (d *Dir) Stat() (fs.FileInfo, error) { return d.self.Stat() }

// Lstat describes a file; a link itself, not its target.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }

// Readlink returns the target of a link.
func (d *Dir) Readlink(name string) (string, error) { return d.root.Readlink(name) }

// ReadDir lists the directory.
func (d *Dir) ReadDir() ([]fs.DirEntry, error) { return fs.ReadDir(d.root.FS(), ".") }

// Remove deletes a file; a link itself, not its target.
func (d *Dir) Remove(name string) error { return d.root.Remove(name) }

// Rename renames a file, replacing any other of the new name.
func (d *Dir) Rename(old, name string) error { return d.root.Rename(old, name) }

// Create creates a new file, accessible only to its owner. It fails with
// [fs.ErrExist] if the name exists.
func (d *Dir) Create(name string) (*os.File, error) {
	return d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
}

// Sync writes the directory's entries to disk. Errors are ignored, because some file
// systems do not support it.
func (d *Dir) Sync() { _ = d.self.Sync() }
