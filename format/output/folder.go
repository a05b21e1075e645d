package output

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"stacksnap/task/directory"
)

// Folder is a folder that is held open: whatever its name leads to later, files
// are made, renamed and removed where it was when it was opened. One that is
// deleted is made again.
type Folder struct {
	*directory.Dir
}

// OpenFolder opens a folder, and makes it, for its owner alone, when it is
// missing. What killed runs have left behind there is removed.
func OpenFolder(path string) (*Folder, error) {
	dir, err := directory.Make(path)
	if err != nil {
		return nil, failure(path, err)
	}
	dir.Sweep()
	return &Folder{dir}, nil
}

// again makes the folder anew once it has been deleted, and reports whether it did.
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

// temporary makes the file that gets its name when it is complete.
func (f *Folder) temporary() (*directory.Temporary, error) {
	t, err := f.Temporary()
	if err != nil && f.again(err) {
		t, err = f.Temporary()
	}
	return t, err
}

// prepare refuses a folder that no file can be made in. That its disk is full is no
// reason.
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

// Name is the path of the file.
func (n *NewFile) Name() string { return n.folder.Join(n.name) }

// Remove takes the file away.
func (n *NewFile) Remove() error { return n.folder.Remove(n.name) }
