package directory

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
)

// maxTries bounds how often another name is tried for a temporary file.
const maxTries = 100

// Temporary is a file that is being written, and gets its name when it is whole. Where the
// file system can, it has none before: then nothing stays behind of one whose writer is
// killed.
type Temporary struct {
	*os.File
	dir  *Dir
	name string // empty: none
	kept bool   // it has its final name
}

// Temporary makes a file, for its owner alone.
func (d *Dir) Temporary() (*Temporary, error) {
	if f, err := d.anonymous(); err == nil {
		return &Temporary{File: f, dir: d}, nil
	}
	return d.named()
}

// named makes a file with a name by which a later run knows what was left behind.
func (d *Dir) named() (t *Temporary, err error) {
	for range maxTries {
		name := temporaryName()
		var f *os.File
		if f, err = d.Create(name); err == nil {
			if hold(f) {
				return &Temporary{File: f, dir: d, name: name}, nil
			}
			_ = f.Close() // another run has just cleared it away
			continue
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return nil, err
}

const temporaryPrefix, temporarySuffix = ".stacksnap-", ".tmp"

func temporaryName() string {
	return fmt.Sprintf("%s%d-%08x%s", temporaryPrefix, os.Getpid(), rand.Uint32(), temporarySuffix)
}

func isTemporaryName(name string) bool {
	return strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, temporarySuffix)
}

// Drop removes the file, unless it has its final name.
func (t *Temporary) Drop() {
	_ = t.Close()
	if !t.kept && t.name != "" {
		_ = t.dir.Remove(t.name)
	}
}

// Replace writes what is left to the disk (otherwise a crash of the system could leave the
// name with an empty file), gives the file its name, and takes that from whatever had it.
func (t *Temporary) Replace(name string) error {
	if err := t.Sync(); err != nil {
		return err
	}
	return t.give(name)
}

// Place is Replace by a name that nothing has, or fails with [fs.ErrExist]: then another
// can be tried.
func (t *Temporary) Place(name string) error {
	if err := t.Sync(); err != nil {
		return err
	}
	err := t.link(name)
	switch {
	case errors.Is(err, fs.ErrExist):
		return err
	case err != nil: // no hard links here
		return t.claim(name)
	}
	if t.name != "" {
		_ = t.dir.Remove(t.name)
	}
	return t.end()
}

// claim takes the name first, with an empty file, and then gives it to the file.
func (t *Temporary) claim(name string) error {
	claimed, err := t.dir.Create(name)
	if err != nil {
		return err
	}
	_ = claimed.Close() // it is empty
	if err := t.give(name); err != nil {
		_ = t.dir.Remove(name)
		return err
	}
	return nil
}

// give renames the file. It is held until then, so that nobody takes it for left behind.
func (t *Temporary) give(name string) error {
	if err := t.appear(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // where an open file keeps its name
		if err := t.Close(); err != nil {
			return err
		}
	}
	if err := t.dir.Rename(t.name, name); err != nil {
		return err
	}
	return t.end()
}

// appear gives a file without a name one of its own: a link replaces nothing.
func (t *Temporary) appear() error {
	for range maxTries {
		if t.name != "" {
			return nil
		}
		name := temporaryName()
		err := t.link(name)
		switch {
		case err == nil:
			t.name = name
		case !errors.Is(err, fs.ErrExist):
			return t.copy()
		}
	}
	return fs.ErrExist
}

// copy goes on with a copy that has a name, where a file cannot be given one later.
func (t *Temporary) copy() error {
	c, err := t.dir.named()
	if err != nil {
		return err
	}
	info, err := t.Stat()
	if err == nil {
		_, err = io.Copy(c, io.NewSectionReader(t.File, 0, info.Size()))
	}
	if err == nil {
		err = errors.Join(keepOwner(c.File, info), c.Chmod(info.Mode().Perm()), c.Sync())
	}
	if err != nil {
		c.Drop()
		return err
	}
	_ = t.Close() // it was only read
	t.File, t.name = c.File, c.name
	return nil
}

// end closes the file once it has its name.
func (t *Temporary) end() error {
	t.kept = true
	t.dir.Sync()
	if runtime.GOOS == "windows" {
		return nil // it is closed
	}
	return t.Close()
}
