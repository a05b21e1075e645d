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

// maxTries is how many names are tried for a temporary file.
const maxTries = 100

// Temporary is a file that gets its name once it is completely written. Where the
// file system supports it, the file has no name before, so that nothing is left
// behind if the writer is killed.
type Temporary struct {
	*os.File
	dir  *Dir
	name string // "": none
	kept bool   // it has its final name
}

// Temporary creates a file, accessible only to its owner.
func (d *Dir) Temporary() (*Temporary, error) {
	if f, err := d.anonymous(); err == nil {
		return &Temporary{File: f, dir: d}, nil
	}
	return d.named()
}

// named creates a file with a name by which Sweep recognises it.
func (d *Dir) named() (t *Temporary, err error) {
	for range maxTries {
		name := temporaryName()
		var f *os.File
		if f, err = d.Create(name); err == nil {
			if hold(f) {
				return &Temporary{File: f, dir: d, name: name}, nil
			}
			_ = f.Close() // another run has just deleted it
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

// Drop deletes the file, unless it has its final name.
func (t *Temporary) Drop() {
	_ = t.Close()
	if !t.kept && t.name != "" {
		_ = t.dir.Remove(t.name)
	}
}

// Replace writes the file to disk (otherwise a crash of the system could leave an
// empty file) and renames it, replacing any other file of that name.
func (t *Temporary) Replace(name string) error {
	if err := t.Sync(); err != nil {
		return err
	}
	return t.give(name)
}

// Place is Replace for a new name. It fails with [fs.ErrExist] if the name exists;
// then another can be tried.
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

// claim creates an empty file of that name, and then replaces it.
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

// give renames the file. It stays locked until then, so that no Sweep deletes it.
func (t *Temporary) give(name string) error {
	if err := t.appear(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // an open file cannot be renamed there
		if err := t.Close(); err != nil {
			return err
		}
	}
	if err := t.dir.Rename(t.name, name); err != nil {
		return err
	}
	return t.end()
}

// appear gives a file without a name a temporary one, because a link cannot replace a
// file.
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

// copy continues with a named copy, where an unnamed file cannot get a name later.
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
	_ = t.Close() // read-only
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
