package output

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"stacksnap/task/directory"
)

// Folder is a directory that is held open. Files are made, renamed and removed in that
// directory even if its path leads elsewhere later. If it is deleted, it is made again.
type Folder struct {
	*directory.Dir
}

// OpenFolder opens a directory, and makes it, with access only for its owner, if it is
// missing. It removes temporary files that killed programs left there.
func OpenFolder(path string) (*Folder, error) {
	dir, err := directory.Make(path)
	if err != nil {
		return nil, failure(path, err)
	}
	dir.Sweep()
	return &Folder{dir}, nil
}

// again makes the directory again if err says that it was deleted, and reports whether it
// did.
func (f *Folder) again(err error) bool {
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	dir, err := directory.Make(f.Path())
	if err != nil {
		return false
	}
	_ = f.Close() // it was only read
	f.Dir = dir
	return true
}

// temporary makes a temporary file, to be renamed when it is complete.
func (f *Folder) temporary() (*directory.Temporary, error) {
	t, err := f.Temporary()
	if err != nil && f.again(err) {
		t, err = f.Temporary()
	}
	return t, err
}

// prepare returns an error if no file can be made in the directory, except because its disk
// is full.
func (f *Folder) prepare() error {
	t, err := f.Temporary()
	if errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	if err != nil {
		return failure(f.Path(), err)
	}
	t.Drop()
	return nil
}

// NewFile is a file that was made empty under its final name.
type NewFile struct {
	io.WriteCloser
	folder *Folder
	name   string
}

// Name returns the path of the file.
func (n *NewFile) Name() string { return n.folder.Join(n.name) }

// Remove removes the file.
func (n *NewFile) Remove() error { return n.folder.Remove(n.name) }
