package output

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"

	"stacksnap/task/regular"
)

// place is where a file is to be: a name in a folder that is held open.
type place struct {
	folder *Folder
	name   string
	old    fs.FileInfo // what has the name; nil: nothing
}

// openPlace opens the folder of a path, and refuses what a plain writing would be
// refused.
func openPlace(path string) (*place, error) {
	p := &place{folder: &Folder{path: filepath.Dir(path)}, name: filepath.Base(path)}
	if err := p.folder.open(); err != nil {
		return nil, err
	}
	if err := p.look(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *place) close() { _ = p.folder.Close() } // it was only read

// look finds what the new file will replace.
func (p *place) look() error {
	f, err := regular.Old(p.folder.root, p.name)
	if errors.Is(err, regular.ErrNot) {
		return errors.New("is no regular file any more")
	}
	if f == nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written
	p.old, err = f.Stat()
	return err
}

// begin makes the file beside, which belongs to whom the old one does.
func (p *place) begin() (*beside, error) {
	b, err := p.folder.beside()
	if err != nil || p.old == nil {
		return b, err
	}
	if err := p.giveAway(b); err != nil {
		b.drop()
		return nil, err
	}
	return b, nil
}

// giveAway gives the file beside the owner and the group of the old one.
func (p *place) giveAway(b *beside) error {
	uid, gid, ok := owner(p.old)
	if !ok {
		return nil // this system has none
	}
	now, err := b.Stat()
	if err != nil {
		return err
	}
	if u, g, _ := owner(now); u == uid && g == gid {
		return nil
	}
	if b.Chown(uid, gid) != nil {
		return fmt.Errorf("belongs to user %d and group %d, which a new file in its place would not: remove it, or give another name", uid, gid)
	}
	return nil
}

// commit gives the complete file the mode of the old one, and its name.
func (p *place) commit(b *beside) error {
	if p.old != nil {
		if err := b.Chmod(p.old.Mode().Perm()); err != nil && runtime.GOOS != "windows" {
			return err
		}
	}
	if err := b.finish(); err != nil {
		return err
	}
	return b.replace(p.name)
}
