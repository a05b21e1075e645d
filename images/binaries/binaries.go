// Package binaries finds executables and libraries in folders by what they are,
// so that a core can be read where the system it came from is not.
package binaries

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"stacksnap/images/elf"
	"stacksnap/images/macho"
	"stacksnap/task"
)

// maxFiles bounds how many files of a folder are looked at.
const maxFiles = 200_000

// Index knows the binaries of some folders by LC_UUID and build-id.
type Index struct {
	byID  map[string]string // path
	roots []string
}

// architectures are those of which a fat file may hold a slice each.
var architectures = [...]task.Arch{task.ARM64, task.AMD64, task.I386, task.ARM}

// NewIndex looks through the folders and those in them. A file that cannot be
// read is passed over; a folder that was named and cannot is an error.
func NewIndex(roots []string) (*Index, error) {
	x := &Index{byID: map[string]string{}, roots: roots}
	for _, root := range roots {
		root, err := folder(root)
		if err != nil {
			return nil, err
		}
		seen := 0
		err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil && path == root {
				return err
			}
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			if seen++; seen > maxFiles {
				return fs.SkipAll
			}
			x.add(path)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return x, nil
}

// folder refuses what is none, and returns where a link to one leads.
func folder(root string) (string, error) {
	info, err := os.Stat(root)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", root)
	}
	return filepath.EvalSymlinks(root)
}

// add notes a file's IDs, if it has any.
func (x *Index) add(path string) {
	for _, arch := range architectures {
		f, err := macho.Open(path, macho.Want{Arch: arch})
		if err == nil {
			x.put(f.ID(), path)
			_ = f.Close() // it was only read
		} else if !errors.Is(err, macho.ErrNoSlice) {
			break // no Mach-O at all
		}
	}
	if f, err := openELF(path); err == nil {
		x.put(f.ID(), path)
		_ = f.Close()
	}
}

func (x *Index) put(id []byte, path string) {
	if len(id) > 0 {
		x.byID[hex.EncodeToString(id)] = path
	}
}

func openELF(path string) (*elf.File, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := r.Stat()
	if err == nil {
		var f *elf.File
		if f, err = elf.NewFile(r, info.Size()); err == nil {
			return f, nil
		}
	}
	return nil, errors.Join(err, r.Close())
}

// Roots returns the folders.
func (x *Index) Roots() []string { return x.roots }

// Path returns the file that has the ID.
func (x *Index) Path(id []byte) (string, bool) {
	path, ok := x.byID[hex.EncodeToString(id)]
	return path, ok && len(id) > 0
}

// MachO opens the file with the UUID that is wanted, whatever its name.
func (x *Index) MachO(_ string, want macho.Want) (*macho.File, error) {
	path, ok := x.Path(want.ID)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return macho.Open(path, want)
}

// Base returns a file of that name directly in one of the folders, empty when
// there is none.
func (x *Index) Base(name string) string {
	for _, root := range x.roots {
		path := filepath.Join(root, filepath.Base(name))
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}
