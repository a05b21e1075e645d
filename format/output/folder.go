package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// The modes of what is made here: reports tell, and recordings hold, what is in
// another process's memory.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Folder is a folder that is held open: whatever its name leads to later, files
// are made, renamed and removed where it was when it was opened. No file is ever
// opened through a symbolic link. One that is deleted is made again.
type Folder struct {
	path string
	root *os.Root
}

// OpenFolder opens a folder, and makes it, for its owner alone, when it is
// missing.
func OpenFolder(path string) (*Folder, error) {
	f := &Folder{path: path}
	if err := os.MkdirAll(path, dirMode); err != nil {
		return nil, err
	}
	return f, f.open()
}

// open opens what is there.
func (f *Folder) open() error {
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return failure(f.path, err)
	}
	if f.root != nil {
		_ = f.root.Close() // it was only read
	}
	f.root = root
	return nil
}

// Close lets go of the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Path is the folder's, as it was given.
func (f *Folder) Path() string { return f.path }

// join returns the path of a file in the folder.
func (f *Folder) join(name string) string { return filepath.Join(f.path, name) }

// remove takes a file away; a link, not what it leads to.
func (f *Folder) remove(name string) error { return f.root.Remove(name) }

// create makes a file that was not there, and fails with [fs.ErrExist] where
// there is anything of that name.
func (f *Folder) create(name string) (*os.File, error) {
	return f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
}

// again makes the folder anew once it has been deleted, and tells whether it did.
func (f *Folder) again(err error) bool {
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return os.MkdirAll(f.path, dirMode) == nil && f.open() == nil
}

// maxTries bounds how often another name is tried for a file beside.
const maxTries = 100

// beside makes the file that becomes another when it is complete.
func (f *Folder) beside() (b *beside, err error) {
	for range maxTries {
		name := fmt.Sprintf(".stacksnap-%d-%08x.tmp", os.Getpid(), rand.Uint32())
		var file *os.File
		if file, err = f.create(name); err == nil {
			return &beside{File: file, folder: f, name: name}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return nil, err
}

// prepare refuses a folder that no file can be made in. That its disk is full is no
// reason.
func (f *Folder) prepare() error {
	b, err := f.beside()
	if errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	if err != nil {
		return failure(f.path, err)
	}
	b.drop()
	return nil
}

// beside is a file that is being written under a name of its own.
type beside struct {
	*os.File
	folder *Folder
	name   string
	named  bool // its final name, by which it stays
}

// drop removes the file, unless it has its final name.
func (b *beside) drop() {
	_ = b.Close()
	if !b.named {
		_ = b.folder.remove(b.name)
	}
}

// finish writes what is left to the disk: otherwise a crash of the system could
// leave the final name with an empty file.
func (b *beside) finish() error {
	if err := b.Sync(); err != nil {
		return err
	}
	return b.Close()
}

// replace gives the file its final name, and takes that from whatever had it.
func (b *beside) replace(name string) error {
	if err := b.folder.root.Rename(b.name, name); err != nil {
		return err
	}
	b.named = true
	b.folder.sync()
	return nil
}

// place gives the file a name that nothing has, or fails with [fs.ErrExist].
func (b *beside) place(name string) error {
	err := b.folder.root.Link(b.name, name)
	switch {
	case errors.Is(err, fs.ErrExist):
		return err
	case err != nil: // no hard links here
		return b.claim(name)
	}
	b.named = true
	_ = b.folder.remove(b.name)
	b.folder.sync()
	return nil
}

// claim takes the name first, with an empty file, and then gives it to the file.
func (b *beside) claim(name string) error {
	claimed, err := b.folder.create(name)
	if err != nil {
		return err
	}
	_ = claimed.Close() // it is empty
	if err := b.replace(name); err != nil {
		_ = b.folder.remove(name)
		return err
	}
	return nil
}

// sync makes names last. Some file systems cannot, and the files are there all
// the same.
func (f *Folder) sync() {
	if d, err := f.root.Open("."); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// NewFile is a file that was made empty under its final name.
type NewFile struct {
	io.WriteCloser
	folder *Folder
	name   string
}

// Name is the path of the file.
func (n *NewFile) Name() string { return n.folder.join(n.name) }

// Remove takes the file away.
func (n *NewFile) Remove() error { return n.folder.remove(n.name) }
